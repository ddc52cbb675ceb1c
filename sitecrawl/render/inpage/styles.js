// Menus that a style sheet opens, under the mouse or by a box that is ticked: no script hears of them, so all are opened at once.
const MAX_RULES = 5000;
const OPENING = /:(?:hover|focus-within|focus-visible|focus|checked|target)(?![\w-])/g;
const SHOWING = ["display", "visibility", "max-height", "height", "pointer-events"];

const openingRule = (rule) => {
  const selector = rule.selectorText;
  if (typeof selector !== "string" || indexOf(selector, ":not(") >= 0) return "";
  const opened = replace(selector, OPENING, "");
  // What remains of `:hover` alone, or of `a, :hover`, is no selector.
  if (opened === selector || test(/^\s*[,>+~]|[,>+~]\s*$|,\s*,|[\s>+~](?=,)/, opened) || trim(opened) === "") return "";
  let shown = "";
  for (let index = 0; index < SHOWING.length; index++) {
    const value = styleValue(rule.style, SHOWING[index]);
    if (value && value !== "none" && value !== "hidden") shown += `${SHOWING[index]}: ${value};`;
  }
  return shown && `${opened} { ${shown} }`;
};

const openStyledMenus = () => {
  let text = "";
  let left = MAX_RULES;
  const read = (rules, depth) => {
    for (let index = 0; index < rules.length && left-- > 0; index++) {
      const rule = rules[index];
      text += attempt(() => openingRule(rule)) ?? "";
      if (rule.cssRules && depth < 4) attempt(() => read(rule.cssRules, depth + 1));
    }
  };
  const sheets = document.styleSheets;
  // The rules of another origin may not be read.
  for (let index = 0; index < sheets.length && index < 200; index++) attempt(() => read(sheets[index].cssRules, 0));
  if (!text) return;
  const sheet = new CSSStyleSheet();
  fillSheet(sheet, text);
  append(document.adoptedStyleSheets, sheet);
};
