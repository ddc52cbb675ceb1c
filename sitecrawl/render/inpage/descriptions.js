// What an element says of itself, where it is, and how it is found again after the page has changed.
const MAX_TEXT = 120;
const MAX_SOURCE = 600;

const clean = (text, limit = MAX_TEXT) => trim(replace(slice(String(text ?? ""), 0, 4 * limit), /\s+/g, " "));
const short = (text, limit = MAX_TEXT) => slice(clean(text, limit), 0, limit);

/** What is to be read on an element, without the buttons and links within it. */
const textOf = (element) => {
  let text = "";
  const read = (node, depth) => {
    for (let child = firstChild(node); child && text.length < MAX_TEXT; child = nextSibling(child)) {
      const type = nodeType(child);
      if (type === TEXT) text += slice(nodeValue(child), 0, 4 * MAX_TEXT);
      else if (type === ELEMENT && depth < 12) {
        const name = localName(child);
        if (name === "script" || name === "style" || isLink(child) || isControl(child, name)) continue;
        if (handlersOf(child).presses) continue;
        text += " ";
        read(child, depth + 1);
        text += " ";
      }
    }
  };
  read(element, 0);
  return short(text);
};

const attributesOf = (element, names) => {
  const values = [];
  for (let index = 0; index < names.length; index++) {
    const value = attribute(element, names[index]);
    if (value) append(values, short(value));
  }
  return values;
};

const namesOf = (element) => {
  const values = attributesOf(element, ["id", "name"]);
  const names = attributeNames(element);
  for (let index = 0; index < names.length && values.length < 12; index++) {
    const value = indexOf(names[index], "data-") === 0 ? attribute(element, names[index]) : "";
    if (value && value.length <= 60) append(values, value);
  }
  return values;
};

/** Its classes, and what its icons are called. */
const classesOf = (element) => {
  const names = [];
  const note = (each) => {
    const classes = short(attribute(each, "class") ?? "");
    const words = /\S+/g;
    for (let found; (found = execute(words, classes)) && names.length < 40; ) append(names, found[0]);
  };
  note(element);
  const budget = { left: 25 };
  walk(
    element,
    (each) => {
      if (each === element) return true;
      const name = localName(each);
      if (isControl(each, name)) return false;
      if (name === "svg" || name === "i" || name === "use" || name === "img" || name === "span" || name === "path") {
        note(each);
        const values = attributesOf(each, ["data-icon", "data-lucide", "icon", "name", "href", "xlink:href", "alt", "src"]);
        for (let index = 0; index < values.length; index++) append(names, slice(values[index], -60));
      }
      return !isLink(each);
    },
    budget,
  );
  return names;
};

const sourcesOf = (handlers) => {
  const sources = [];
  for (let index = 0; index < handlers.length && index < 4; index++) {
    const handler = handlers[index];
    const source = typeof handler === "function" ? attempt(() => sourceOf(handler)) : "";
    if (source) append(sources, slice(source, 0, MAX_SOURCE));
  }
  return sources;
};

const isWithin = (element, name) => {
  for (let above = parentOf(element); above; above = parentOf(above)) if (localName(above) === name) return true;
  return false;
};

const describe = (element, found) => ({
  tag: localName(element),
  type: lower(attribute(element, "type") ?? ""),
  text: textOf(element),
  titles: attributesOf(element, TITLES),
  names: namesOf(element),
  classes: classesOf(element),
  handlers: sourcesOf(found.handlers),
  inForm: isWithin(element, "form"),
  isDownload: hasAttribute(element, "download"),
  path: pathOf(element),
  kind: kindOf(element),
});

const TITLES = ["aria-label", "title", "value", "alt"];
const labelOf = (element) => textOf(element) || attributesOf(element, TITLES)[0] || "";

// --- Where an element is ---

const nameOf = (element) => {
  const id = attribute(element, "id");
  if (id && test(/^[A-Za-z][\w-]{0,39}$/, id)) return `#${id}`;
  const first = execute(/^\s*([A-Za-z_][\w-]{0,39})/, attribute(element, "class") ?? "");
  return first ? `.${first[1]}` : "";
};

const placeOf = (element) => {
  const name = localName(element);
  let place = 1;
  let parent = parentNode(element);
  for (let each = parent && firstElement_(parent); each && each !== element && place < 5000; each = nextElement(each)) {
    if (localName(each) === name) place += 1;
  }
  return place;
};

/** From the document down, for finding it again. */
const stepsOf = (element) => {
  const upwards = [];
  for (let each = element; each && upwards.length < 100; each = parentOf(each)) {
    const inShadow = parentNode(each) instanceof ShadowRoot;
    append(upwards, { name: localName(each), place: placeOf(each), inShadow });
  }
  return upwards;
};

/** For people: like a selector, from the nearest element with an id. */
const pathOf = (element) => {
  let path = "";
  for (let each = element, depth = 0; each && depth < 8; each = parentOf(each), depth++) {
    const name = nameOf(each);
    const place = placeOf(each);
    const step = localName(each) + name + (place > 1 && name[0] !== "#" ? `:nth-of-type(${place})` : "");
    path = path ? `${step} > ${path}` : step;
    if (name[0] === "#" || localName(each) === "body") break;
  }
  return slice(path, -300);
};

/** The same for every row of a list. */
const kindOf = (element) => {
  let kind = attribute(element, "role") ?? "";
  for (let each = element, depth = 0; each && depth < 4; each = parentOf(each), depth++) {
    const classes = depth < 2 ? clean(attribute(each, "class") ?? "") : "";
    kind += `<${localName(each)} ${replace(classes, /\d+/g, "0")}`;
  }
  return slice(kind, 0, 300);
};

const follow = (steps) => {
  let element = document.documentElement;
  for (let index = steps.length - 2; index >= 0 && element; index--) {
    const { name, place, inShadow } = steps[index];
    const holder = inShadow ? shadowOf(element) : element;
    let left = place;
    let child = holder && firstElement_(holder);
    while (child && !(localName(child) === name && --left === 0)) child = nextElement(child);
    element = child;
  }
  return element;
};

const labelKey = (text) => replace(text, /\d+/g, "0");

/** The element itself, or what now stands in its place with its label, or elsewhere with its kind and label. */
const findAgain = (candidate) => {
  const isIt = (element) => element && isShown(element) && labelKey(labelOf(element)) === candidate.key;
  if (isConnected(candidate.element) && isIt(candidate.element)) return candidate.element;
  const inPlace = follow(candidate.steps);
  if (isIt(inPlace)) return inPlace;
  let found = null;
  walk(
    document.documentElement,
    (element) => {
      if (found) return false;
      if (localName(element) === candidate.tag && kindOf(element) === candidate.kind && isIt(element)) found = element;
      return true;
    },
    { left: limits.elements },
  );
  return found;
};
