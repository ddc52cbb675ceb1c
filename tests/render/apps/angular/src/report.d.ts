/** From /report.js. */
declare function reportDanger(what: string): void;
