// What is beside the list on a wide screen stands above it on a phone, and is folded there.
export function foldOnPhones(root: ParentNode): void {
  if (window.matchMedia("(max-width: 860px)").matches) {
    for (const each of root.querySelectorAll<HTMLDetailsElement>("details[data-fold]")) {
      each.open = false;
    }
  }
}
