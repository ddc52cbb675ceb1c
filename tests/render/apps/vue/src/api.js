import { onMounted, shallowRef } from "vue";

/** A reference that holds the data as soon as it is there. */
export function loaded(path) {
  const data = shallowRef(null);
  onMounted(async () => {
    data.value = await (await fetch(`/api/${path}`)).json();
  });
  return data;
}
