import { Text } from "./Text.jsx";

export function Component() {
  return <Text title="The journal">In March the path is a stream, and the stream is a path.</Text>;
}
