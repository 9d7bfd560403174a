/**
 * What an IAM policy says to one request, for the policies this gateway writes: wildcards, conditions, explicit
 * deny. It reads less than IAM does; what it does not know makes the whole policy unreadable, and nothing is minted by it.
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

/** One call as IAM sees it. */
export interface IamRequest {
  readonly action: string;
  readonly resource: string;
  /** Condition keys of the request; a list for keys that carry several values. */
  readonly context: Readonly<Record<string, string | readonly string[]>>;
}

type IamAnswer = 'allow' | 'explicit_deny' | 'implicit_deny' | 'unreadable';

export function iamAnswer(policy: PolicyDocument, request: IamRequest): IamAnswer {
  try {
    const applying = policy.Statement.filter((statement) => applies(statement, request));
    if (applying.some(({ Effect }) => Effect === 'Deny')) return 'explicit_deny';
    return applying.length > 0 ? 'allow' : 'implicit_deny';
  } catch (thrown) {
    if (thrown instanceof Unreadable) return 'unreadable';
    throw thrown;
  }
}

class Unreadable extends Error {}

const members = ['Sid', 'Effect', 'Action', 'Resource', 'Condition'];

/** Every part is read, even where an earlier one has decided: an unreadable part must not hide behind it. */
function applies(statement: PolicyStatement, { action, resource, context }: IamRequest): boolean {
  const unknown = Object.keys(statement).find((member) => !members.includes(member));
  if (unknown !== undefined) throw new Unreadable(unknown);
  if (statement.Effect !== 'Allow' && statement.Effect !== 'Deny') throw new Unreadable('Effect');
  const parts = [
    // Actions are matched without regard to case, resources with.
    list(statement.Action)
      .map((pattern) => like(pattern.toLowerCase(), action.toLowerCase()))
      .some(Boolean),
    list(statement.Resource)
      .map((pattern) => like(pattern, resource))
      .some(Boolean),
    ...Object.entries(statement.Condition ?? {}).flatMap(([operator, tests]) => {
      const holds = Object.hasOwn(operators, operator) ? operators[operator] : undefined;
      if (!holds) throw new Unreadable(operator);
      return Object.entries(tests).map(([key, wanted]) => holds(valuesOf(context, key), list(wanted)));
    }),
  ];
  return parts.every(Boolean);
}

/** @param held the request's values; undefined when the key is not in the request. */
type Operator = (held: readonly string[] | undefined, wanted: readonly string[]) => boolean;

const operators: Readonly<Record<string, Operator>> = {
  StringEquals: (held, wanted) => single(held, (value) => wanted.map(plain).includes(value)),
  StringLike: (held, wanted) => single(held, (value) => wanted.map((pattern) => like(pattern, value)).some(Boolean)),
  DateLessThan: (held, wanted) =>
    single(held, (value) => wanted.map((limit) => time(value) < time(limit)).some(Boolean)),
  /** True also for a key that is not in the request: a condition that needs it adds `Null`. */
  'ForAllValues:StringEquals': (held, wanted) => {
    const allowed = wanted.map(plain);
    return (held ?? []).every((value) => allowed.includes(value));
  },
  Null: (held, wanted) => wanted.map((text) => (text === 'true') === (held === undefined)).some(Boolean),
};

/** A test over one value says nothing of a key with several. */
function single(held: readonly string[] | undefined, test: (value: string) => boolean): boolean {
  // The wanted side is read in any case.
  const answers = (held ?? ['']).map(test);
  return held?.length === 1 && answers[0] === true;
}

function time(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new Unreadable('a time');
  return ms;
}

const list = (value: string | readonly string[]): readonly string[] => (typeof value === 'string' ? [value] : value);

/** Condition keys are matched without regard to case. */
function valuesOf(context: IamRequest['context'], key: string): readonly string[] | undefined {
  const name = Object.keys(context).find((known) => known.toLowerCase() === key.toLowerCase());
  return name === undefined ? undefined : list(context[name]!);
}

/** One unit of a pattern: a literal character, or `*` and `?` as wildcards. */
type Unit = { readonly literal: string } | { readonly wild: '*' | '?' };

/** A dollar sign with one of these in braces is that character; any other variable would be filled in by AWS. */
const escapable = ['*', '?', '$'];

function unitsOf(pattern: string): Unit[] {
  const units: Unit[] = [];
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i]!;
    if (char === '$' && pattern[i + 1] === '{') {
      const literal = pattern[i + 2] ?? '';
      if (!escapable.includes(literal) || pattern[i + 3] !== '}') throw new Unreadable('a policy variable');
      units.push({ literal });
      i += 3;
    } else units.push(char === '*' || char === '?' ? { wild: char } : { literal: char });
  }
  return units;
}

/** A pattern without wildcards, its escapes undone: in `StringEquals` an asterisk is only an asterisk. */
const plain = (pattern: string): string =>
  unitsOf(pattern)
    .map((unit) => ('literal' in unit ? unit.literal : unit.wild))
    .join('');

/** Whether the pattern covers the whole text; the last star is moved on, so time grows with pattern × text at most. */
function like(pattern: string, text: string): boolean {
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
