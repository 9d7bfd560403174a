/**
 * Type annotations in program text: `password: string;` contains no secret, but in `password: string = 'hunter2'` a
 * secret follows the type.
 */

const types =
  'string|str|String|StringBuilder|SecretStr|SecretString|bytes|Uint8Array|Buffer|number|bigint|int|Int|float|double|boolean|bool|Boolean|symbol|object|unknown|any|Any|never|void|null|None|undefined';
const one = `(?:readonly )?&?(?:'[a-z_]{1,16} )?(?:mut )?(?:${types})(?:\\[\\]){0,2}\\??`;
const wrapped = `(?:Optional|Option|Promise|Array|ReadonlyArray|Set|List|list|Vec|Box|Secret)[<[]${one}[>\\]]`;
const term = `(?:${wrapped}|${one})`;
/** Types in a declaration, and the text that may follow them. */
const annotation = new RegExp(
  `${term}(?: ?\\| ?${term}){0,4}(?=[ \\t]{0,8}(?:$|[\\r\\n;,){}]|\\\\+[rn]|#|//|/\\*|=))`,
  'y',
);
/** Matches any type before a quoted value. */
const namedType = /[A-Za-z_][\w.]{0,63}(?:[<[][\w.,<>[\] |&?]{0,63}[>\]])?[?!]?(?=[ \t]{1,3}=[ \t]{0,3}\\{0,3}["'])/y;
const assigned = /[ \t]{0,8}=(?![=>]|[ \t]{0,8}(?:None|null|undefined|nil)\b)[ \t]{0,8}(\\{0,3}["'])?/y;

export interface Annotation {
  /** True if the type is known. An unknown type may itself be a secret. */
  readonly isKnown: boolean;
  readonly end: number;
  /** Value assigned by the declaration. */
  readonly value?: { readonly start: number; readonly quote: string | undefined };
}

const endOf = (pattern: RegExp, text: string, start: number): number | undefined => {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : undefined;
};

/** Returns the type that begins here, after `name: `. Undefined if there is none. */
export function annotationAt(text: string, start: number): Annotation | undefined {
  const known = endOf(annotation, text, start);
  const end = known ?? endOf(namedType, text, start);
  if (end === undefined) return undefined;
  assigned.lastIndex = end;
  const sign = assigned.exec(text);
  return {
    isKnown: known !== undefined,
    end,
    ...(sign && { value: { start: assigned.lastIndex, quote: sign[1] } }),
  };
}
