// The routes that a router knows, linked or not. Each table is the address of its root and paths as the developer wrote them.
const MAX_PATHS = 2000;
const MAX_FIBERS = 20000;
const MAX_ROUTE_DEPTH = 12;

const isText = (value) => typeof value === "string";
const absolute = (address) => attempt(() => new URL(String(address), document.baseURI).href) ?? "";

const joinPaths = (parent, path) => {
  if (path[0] === "/") return path;
  const base = replace(replace(parent, /\/?\*$/, ""), /\/+$/, "");
  return path ? `${base}/${path}` : base || "/";
};

/** Nested route objects, of React Router and Vue Router 3 alike. */
const flatten = (routes, parent, paths, depth = 0) => {
  if (!isArray(routes) || depth > MAX_ROUTE_DEPTH) return;
  for (let index = 0; index < routes.length && paths.length < MAX_PATHS; index++) {
    attempt(() => {
      const route = routes[index];
      const path = joinPaths(parent, isText(route.path) ? route.path : "");
      if (isText(route.path) || route.index) append(paths, slice(path, 0, 500));
      flatten(route.children, path, paths, depth + 1);
    });
  }
};

const vueTable = (router) => {
  const paths = [];
  const records = attempt(() => router.getRoutes());
  if (records) {
    for (let index = 0; index < records.length && index < MAX_PATHS; index++) {
      const path = attempt(() => records[index].path);
      if (isText(path)) append(paths, slice(path || "/", 0, 500));
    }
  } else flatten(router.options?.routes, "", paths);
  return { root: absolute(router.resolve("/").href), paths };
};

// --- React ---

const FRAGMENT = Symbol.for("react.fragment");
const isReactElement = (value) => value !== null && typeof value === "object" && "props" in value && "type" in value;

/** `<Route path element>` in the children of a component, of any version of React Router. */
const flattenElements = (children, parent, paths, depth = 0) => {
  if (depth > MAX_ROUTE_DEPTH || paths.length >= MAX_PATHS) return;
  if (isArray(children)) {
    for (let index = 0; index < children.length && index < MAX_PATHS; index++) {
      flattenElements(children[index], parent, paths, depth + 1);
    }
    return;
  }
  if (!isReactElement(children)) return;
  const { props } = children;
  const isRoute = isText(props.path) || isArray(props.path) || props.index === true;
  const shows = props.element ?? props.Component ?? props.lazy ?? props.component ?? props.render ?? props.children;
  if (!isRoute || !shows) {
    flattenElements(props.children, parent, paths, depth + 1);
    return;
  }
  const own = isArray(props.path) ? props.path : [props.path ?? ""];
  for (let index = 0; index < own.length; index++) {
    const path = joinPaths(parent, String(own[index]));
    append(paths, slice(path, 0, 500));
    flattenElements(props.children, path, paths, depth + 1);
  }
};

/** Whether these are routes themselves: `Routes` has them as children, what is above it has `Routes`. */
const hasRoutes = (children, depth = 0) => {
  if (depth > 6) return false;
  if (isArray(children)) {
    for (let index = 0; index < children.length && index < 200; index++) {
      if (hasRoutes(children[index], depth + 1)) return true;
    }
    return false;
  }
  if (!isReactElement(children)) return false;
  const { props } = children;
  if (isText(props.path) && props.path[0] === "/" && props.children) return true;
  const shows = props.element ?? props.Component ?? props.component ?? props.lazy ?? props.render;
  if (shows && (isText(props.path) || props.index === true)) return true;
  return (shows || children.type === FRAGMENT) && hasRoutes(props.children, depth + 1);
};

const isDataRouter = (value) => typeof value?.navigate === "function" && isArray(value.routes) && typeof value.createHref === "function";
const isNavigation = (value) => typeof value?.navigator?.createHref === "function" && isText(value.basename);

const dataRouterTable = (router) => {
  const paths = [];
  flatten(router.routes, "", paths);
  return { root: absolute(router.createHref({ pathname: router.basename || "/", search: "", hash: "" })), paths };
};

const tanstackTable = (router) => {
  const paths = [];
  const known = keys(router.routesByPath);
  for (let index = 0; index < known.length && index < MAX_PATHS; index++) append(paths, slice(known[index], 0, 500));
  return { root: absolute(router.basepath || "/"), paths };
};

/** What the nearest component above provides, such as the routes that are matched already. */
const provided = (fiber, isWanted) => {
  for (let above = fiber; above; above = above.return) {
    const value = above.memoizedProps?.value;
    if (value && isWanted(value)) return value;
  }
  return null;
};

const elementTable = (fiber) => {
  const paths = [];
  const above = provided(fiber, (value) => isArray(value.matches))?.matches ?? [];
  flattenElements(fiber.memoizedProps.children, above[above.length - 1]?.pathnameBase ?? "", paths);
  const navigation = provided(fiber, isNavigation);
  const root = navigation ? navigation.navigator.createHref({ pathname: navigation.basename }) : "/";
  return { root: absolute(root), paths };
};

/** All components that are mounted; a router is in the properties of one of them. */
const readFibers = (rootFiber, tables) => {
  const seen = new Set();
  let fiber = rootFiber;
  for (let count = 0; fiber && count < MAX_FIBERS; count++) {
    const props = fiber.memoizedProps;
    const router = props?.router;
    if (router && !has(seen, router)) {
      add(seen, router);
      if (isDataRouter(router)) append(tables, dataRouterTable(router));
      else if (router.routesByPath) append(tables, tanstackTable(router));
    }
    if (hasRoutes(props?.children)) append(tables, elementTable(fiber));
    let next = fiber.child;
    while (!next && fiber) {
      next = fiber.sibling;
      if (!next) fiber = fiber.return;
    }
    fiber = next;
  }
};

const reactRoot = (element, names) => {
  for (let index = 0; index < names.length && index < 40; index++) {
    if (indexOf(names[index], "__reactContainer$") === 0) {
      const fiber = element[names[index]];
      // One of two that take turns; the one that is shown is known by its state node.
      return fiber.stateNode?.current ?? fiber;
    }
  }
  return element._reactRootContainer?._internalRoot?.current ?? null;
};

// --- Angular, as far as a development build tells ---

const angularTables = (tables) => {
  const tools = window.ng;
  if (typeof tools?.getComponent !== "function") return;
  const roots = document.querySelectorAll("[ng-version]");
  for (let index = 0; index < roots.length && index < 5; index++) {
    const router = attempt(() => tools.ɵgetRouterInstance(tools.getInjector(roots[index]))) ?? routerWithin(tools, roots[index]);
    if (!router) continue;
    const paths = [];
    flatten(router.config, "", paths);
    const root = attempt(() => router.location.prepareExternalUrl("/")) ?? "/";
    append(tables, { root: absolute(root), paths });
  }
};

const routerWithin = (tools, element) => {
  const component = attempt(() => tools.getComponent(element));
  const names = component ? getOwnPropertyNames(component) : [];
  for (let index = 0; index < names.length; index++) {
    const value = attempt(() => component[names[index]]);
    if (isArray(value?.config) && typeof value?.navigateByUrl === "function") return value;
  }
  return null;
};

const readRouters = () => {
  const tables = [];
  const seen = new Set();
  const takeVue = (router) => {
    if (!router || has(seen, router)) return;
    add(seen, router);
    append(tables, vueTable(router));
  };
  walk(
    document.documentElement,
    (element) => {
      const names = getOwnPropertyNames(element);
      if (names.length) {
        attempt(() => takeVue(element.__vue_app__?.config?.globalProperties?.$router));
        attempt(() => takeVue(element.__vue__?.$router));
        attempt(() => readFibers(reactRoot(element, names), tables));
      }
      return true;
    },
    { left: limits.elements },
  );
  attempt(() => angularTables(tables));
  attempt(() => {
    const pages = window.__BUILD_MANIFEST?.sortedPages;
    const paths = [];
    for (let index = 0; index < pages.length && index < MAX_PATHS; index++) append(paths, slice(pages[index], 0, 500));
    append(tables, { root: absolute(window.__NEXT_DATA__?.basePath || "/"), paths });
  });
  return tables;
};
