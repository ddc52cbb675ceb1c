import { Layout } from "./Layout.jsx";
import { Home } from "./pages/Home.jsx";
import { Details, Product, Products, Reviews } from "./pages/Products.jsx";
import { Category } from "./pages/Category.jsx";
import { Help } from "./pages/Help.jsx";
import { Store, Stores } from "./pages/Stores.jsx";
import { Text } from "./pages/Text.jsx";

const account = () => import("./pages/Account.jsx");
const journal = () => import("./pages/Journal.jsx"); // exports Component, as the router wants it

export const routes = [
  {
    path: "/",
    element: <Layout />,
    children: [
      { index: true, element: <Home /> },
      { path: "products", element: <Products /> },
      {
        path: "products/:id",
        element: <Product />,
        children: [
          { index: true, element: <Details /> },
          { path: "reviews", element: <Reviews /> },
        ],
      },
      { path: "categories/:name", element: <Category /> },
      { path: "deals", element: <Text title="Deals of the week">Last season's tents, a third off.</Text> },
      { path: "help", element: <Help /> },
      { path: "care/leather", element: <Text title="Caring for leather">Brush, wax, and never near a stove.</Text> },
      { path: "size-guide", element: <Text title="Size guide">Measure in the evening, when feet are largest.</Text> },
      { path: "stores", element: <Stores /> },
      { path: "stores/:place", element: <Store /> },
      {
        path: "account",
        lazy: async () => ({ Component: (await account()).Account }),
        children: [
          { index: true, lazy: async () => ({ Component: (await account()).Profile }) },
          { path: "orders", lazy: async () => ({ Component: (await account()).Orders }) },
          { path: "orders/:number", lazy: async () => ({ Component: (await account()).Order }) },
        ],
      },
      { path: "journal", lazy: journal },
      { path: "gift-finder", element: <Text title="Gifts we would like ourselves">A kettle that folds flat.</Text> },
      { path: "brochure", element: <Text title="Spring brochure">Forty pages of wool and canvas.</Text> },
      { path: "tax-free", element: <Text title="Tax-free shopping">Ask for the form at the till.</Text> },
      { path: "members", element: <Text title="Members' corner">First look at the new packs.</Text> },
      { path: "press", element: <Text title="Press room">Pictures in print quality, and a number to call.</Text> },
      { path: "*", element: <Text title="Page not found">This trail ends here.</Text> },
    ],
  },
];
