// Server-sent events as the answer to a request: EventSource can only ask by GET, and asks again by itself.
export interface Told {
  name: string;
  data: string;
}

function parse(block: string): Told {
  const lines = block.split("\n");
  const of = (field: string): string[] =>
    lines.filter((line) => line.startsWith(field)).map((line) => line.slice(field.length));
  return { name: of("event: ")[0] ?? "message", data: of("data: ").join("\n") };
}

export async function* readEvents(answer: Response): AsyncGenerator<Told> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let held = "";
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    const blocks = (held + part.value.replaceAll("\r", "")).split("\n\n");
    held = blocks.pop() ?? "";
    yield* blocks.map(parse);
  }
}
