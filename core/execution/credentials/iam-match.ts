/**
 * Evaluates the IAM policies that this gateway writes: wildcards, conditions, explicit deny. It supports less than IAM
 * does. A policy with an unsupported element is unreadable as a whole and is not used.
 */

export interface PolicyStatement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

export interface PolicyDocument {
  readonly Version: '2012-10-17';
  readonly Statement: readonly PolicyStatement[];
}

export interface IamRequest {
  readonly action: string;
  readonly resource: string;
  /** Condition keys of the request; a list for multi-valued keys. */
  readonly context: Readonly<Record<string, string | readonly string[]>>;
}

type IamAnswer = 'allow' | 'explicit_deny' | 'implicit_deny' | 'unreadable';

export function iamAnswer(policy: PolicyDocument, request: IamRequest): IamAnswer {
  try {
    const applying = policy.Statement.filter((statement) => applies(statement, request));
    if (applying.some(({ Effect }) => Effect === 'Deny')) return 'explicit_deny';
    return applying.length > 0 ? 'allow' : 'implicit_deny';
  } catch (thrown) {
    if (thrown instanceof UnreadablePolicy) return 'unreadable';
    throw thrown;
  }
}

class UnreadablePolicy extends Error {}

const members = ['Sid', 'Effect', 'Action', 'Resource', 'Condition'];

/**
 * Checks whether a statement applies. All parts are read in any case, so that an earlier result cannot hide an
 * unreadable part.
 */
function applies(statement: PolicyStatement, { action, resource, context }: IamRequest): boolean {
  const unknown = Object.keys(statement).find((member) => !members.includes(member));
  if (unknown !== undefined) throw new UnreadablePolicy(unknown);
  if (statement.Effect !== 'Allow' && statement.Effect !== 'Deny') throw new UnreadablePolicy('Effect');
  const parts = [
    // Actions are case-insensitive, resources are case-sensitive.
    asList(statement.Action)
      .map((pattern) => matchesPattern(pattern.toLowerCase(), action.toLowerCase()))
      .some(Boolean),
    asList(statement.Resource)
      .map((pattern) => matchesPattern(pattern, resource))
      .some(Boolean),
    ...Object.entries(statement.Condition ?? {}).flatMap(([operator, tests]) => {
      const holds = Object.hasOwn(operators, operator) ? operators[operator] : undefined;
      if (!holds) throw new UnreadablePolicy(operator);
      return Object.entries(tests).map(([key, wanted]) => holds(contextValues(context, key), asList(wanted)));
    }),
  ];
  return parts.every(Boolean);
}

/** A condition operator. @param held the request's values; undefined if the key is missing from the request. */
type Operator = (held: readonly string[] | undefined, wanted: readonly string[]) => boolean;

const operators: Readonly<Record<string, Operator>> = {
  StringEquals: (held, wanted) => single(held, (value) => wanted.map(withoutEscapes).includes(value)),
  StringLike: (held, wanted) =>
    single(held, (value) => wanted.map((pattern) => matchesPattern(pattern, value)).some(Boolean)),
  DateLessThan: (held, wanted) =>
    single(held, (value) => wanted.map((limit) => time(value) < time(limit)).some(Boolean)),
  /**
   * Multi-valued operator that is also true if the key is missing from the request. Conditions that require the key add
   * `Null`.
   */
  'ForAllValues:StringEquals': (held, wanted) => {
    const allowed = wanted.map(withoutEscapes);
    return (held ?? []).every((value) => allowed.includes(value));
  },
  Null: (held, wanted) => wanted.map((text) => (text === 'true') === (held === undefined)).some(Boolean),
};

/** Tests a single-valued key. Returns false if there are several values. */
function single(held: readonly string[] | undefined, test: (value: string) => boolean): boolean {
  // Always runs the test, so that an unreadable pattern is detected.
  const answers = (held ?? ['']).map(test);
  return held?.length === 1 && answers[0] === true;
}

function time(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new UnreadablePolicy('a time');
  return ms;
}

const asList = (value: string | readonly string[]): readonly string[] => (typeof value === 'string' ? [value] : value);

/** Returns the values of a condition key, whose name is case-insensitive. */
function contextValues(context: IamRequest['context'], key: string): readonly string[] | undefined {
  const name = Object.keys(context).find((known) => known.toLowerCase() === key.toLowerCase());
  return name === undefined ? undefined : asList(context[name]!);
}

/** One unit of a pattern: a literal character, or the wildcard `*` or `?`. */
type Unit = { readonly literal: string } | { readonly wild: '*' | '?' };

/**
 * Characters that can be escaped as `$` followed by the character in braces. AWS would treat any other such expression
 * as a variable.
 */
const escapable = ['*', '?', '$'];

function unitsOf(pattern: string): Unit[] {
  const units: Unit[] = [];
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i]!;
    if (char === '$' && pattern[i + 1] === '{') {
      const literal = pattern[i + 2] ?? '';
      if (!escapable.includes(literal) || pattern[i + 3] !== '}') throw new UnreadablePolicy('a policy variable');
      units.push({ literal });
      i += 3;
    } else units.push(char === '*' || char === '?' ? { wild: char } : { literal: char });
  }
  return units;
}

/** Removes the escapes from a pattern without wildcards, since an asterisk in `StringEquals` is literal. */
const withoutEscapes = (pattern: string): string =>
  unitsOf(pattern)
    .map((unit) => ('literal' in unit ? unit.literal : unit.wild))
    .join('');

/**
 * Checks whether the pattern matches the whole string. Backtracks only to the last star, so the time is at most
 * proportional to pattern length × string length.
 */
function matchesPattern(pattern: string, text: string): boolean {
  const units = unitsOf(pattern);
  let [unit, at, star, starAt] = [0, 0, -1, 0];
  while (at < text.length) {
    const next = units[unit];
    if (next && 'wild' in next && next.wild === '*') {
      star = unit++;
      starAt = at;
    } else if (next && ('wild' in next || next.literal === text[at])) {
      unit++;
      at++;
    } else if (star >= 0) {
      unit = star + 1;
      at = ++starAt;
    } else return false;
  }
  return units.slice(unit).every((rest) => 'wild' in rest && rest.wild === '*');
}
