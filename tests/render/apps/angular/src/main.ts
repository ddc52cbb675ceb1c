import { bootstrapApplication } from "@angular/platform-browser";
import { provideRouter } from "@angular/router";
import { Console } from "./app/console";
import { routes } from "./app/routes";

bootstrapApplication(Console, { providers: [provideRouter(routes)] });
