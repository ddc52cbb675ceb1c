import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createBrowserRouter } from "react-router";
import { RouterProvider } from "react-router/dom";
import { base } from "./shop.js";
import { routes } from "./routes.jsx";
import "./style.css";

const router = createBrowserRouter(routes, { basename: base });

createRoot(document.getElementById("root")).render(
  <StrictMode>
    <RouterProvider router={router} />
  </StrictMode>,
);
