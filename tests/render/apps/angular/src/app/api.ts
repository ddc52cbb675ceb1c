import { signal, Signal } from "@angular/core";

export async function getJson<T>(path: string): Promise<T> {
  const response = await fetch(`/api/${path}`);
  return response.json();
}

/** Undefined until the data is there. */
export function loaded<T>(path: string): Signal<T | undefined> {
  const data = signal<T | undefined>(undefined);
  getJson<T>(path).then((value) => data.set(value));
  return data;
}
