import { Routes } from "@angular/router";
import { Host, HostFacts, HostLogs, Hosts } from "./hosts";
import { Incident, Incidents } from "./incidents";
import { Jobs } from "./jobs";
import { Overview } from "./overview";
import { Notice } from "./notice";

const notice = (path: string, heading: string, text: string) => ({ path, component: Notice, data: { heading, text } });

export const routes: Routes = [
  { path: "", pathMatch: "full", component: Overview },
  { path: "hosts", component: Hosts },
  {
    path: "hosts/:name",
    component: Host,
    children: [
      { path: "", component: HostFacts },
      { path: "logs", component: HostLogs },
    ],
  },
  { path: "jobs", component: Jobs },
  { path: "incidents", component: Incidents },
  { path: "incidents/:number", component: Incident },
  { path: "reports", loadComponent: () => import("./reports").then((module) => module.Reports) },
  { path: "settings", loadChildren: () => import("./settings").then((module) => module.routes) },
  notice("jobs/nightly", "The nightly job", "Runs at two, ends at three, mostly."),
  notice("alerts", "Alerts", "Two quiet, one loud."),
  notice("audit", "Audit trail", "Who did what, and when they say they did."),
  notice("runbook", "Runbook", "First: is it plugged in?"),
  notice("legacy-console", "The old console", "Read only since the spring."),
  notice("wallboard", "Wallboard", "For the large screen by the door."),
  notice("maintenance", "Maintenance windows", "Sundays, four to six."),
  notice("deploys/last", "The last deploy", "Green, after some persuasion."),
  notice("about", "About this console", "Version 9, in memory of version 8."),
  notice("uptime", "Uptime", "Ninety-nine point something."),
  notice("**", "Page not found", "No such view."),
];
