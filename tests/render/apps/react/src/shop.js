import { useEffect, useState } from "react";

/** Where the shop lives on its host; the page's base element says it. */
export const base = new URL(document.baseURI).pathname;

export const at = (path) => base.replace(/\/$/, "") + path;

export async function api(path, options) {
  const response = await fetch(`${base}api/${path}`, options);
  return response.status === 204 ? null : response.json();
}

export function useApi(path) {
  const [data, setData] = useState(null);
  useEffect(() => {
    let isCurrent = true;
    api(path).then((loaded) => isCurrent && setData(loaded));
    return () => {
      isCurrent = false;
    };
  }, [path]);
  return data;
}
