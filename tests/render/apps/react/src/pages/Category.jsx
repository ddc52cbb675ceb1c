import { useParams } from "react-router";
import { Text } from "./Text.jsx";

const CATEGORIES = {
  tents: ["Tents for any wind", "Two poles, four poles, and one for the stubborn."],
  boots: ["Boots for any ground", "Resoled in our own workshop."],
};

export function Category() {
  const { name } = useParams();
  const [title, about] = CATEGORIES[name] ?? ["Page not found", "We do not sell these."];
  return <Text title={title}>{about}</Text>;
}
