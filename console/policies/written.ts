/**
 * Tool policies as people write them: YAML, with the pack given by name and without defaults. Parsing keeps the
 * positions of all parts, so that errors are shown at their positions [console.policy-editor].
 */
import { type Document, isMap, isScalar, isSeq, type Node, parseDocument, stringify } from 'yaml';
import { toolPolicies } from '#core/contracts/config/tool-policies.ts';
import { toolRuleSchema } from '#core/contracts/tool-policy.ts';
import type { AnswerOf } from '#core/operations/endpoints.ts';

type StoredPolicies = Readonly<Record<string, unknown>> & {
  readonly pack?: { readonly name: string; readonly rules: readonly object[] } | null;
};

export const policiesOf = ({ configuration }: AnswerOf<'policyVersion'>): StoredPolicies =>
  configuration.tool_policies as StoredPolicies;

const head = `# Rules of this deployment come before those of the pack; the first one that matches decides.
# pack: a name keeps the pack as it is stored. Ctrl+Space completes.
`;

/** @param whole whether to write the pack's rules too. */
export function writtenForm(stored: StoredPolicies, whole = false): string {
  const defaults = toolPolicies.parse({}) as Readonly<Record<string, unknown>>;
  const { pack, ...others } = stored;
  const written = {
    pack: pack && !whole ? pack.name : pack && { ...pack, rules: pack.rules.map(ruleWritten) },
    ...Object.fromEntries(
      Object.entries(others)
        .filter(([name, value]) => name === 'rules' || JSON.stringify(value) !== JSON.stringify(defaults[name]))
        .map(([name, value]) => [name, name === 'rules' ? (value as object[]).map(ruleWritten) : value]),
    ),
  };
  return head + stringify(written, { lineWidth: 110, aliasDuplicateObjects: false });
}

const ruleDefaults = toolRuleSchema.parse({ decision: 'allow' }) as Readonly<Record<string, unknown>>;

const ruleWritten = (rule: object): object =>
  Object.fromEntries(
    Object.entries(rule).filter(([name, value]) => name === 'decision' || value !== ruleDefaults[name]),
  );

export interface Problem {
  readonly message: string;
  readonly from: number;
  readonly to: number;
}

export interface Read {
  /** Policies in the format of the configuration's `tool_policies`; undefined if the text is not YAML. */
  readonly policies: unknown;
  readonly problems: readonly Problem[];
  /** Locates the problems of a refusal in the text; problems that cannot be located are left to the caller. */
  readonly placed: (fault: string) => readonly Problem[];
}

/** Parses the draft. A pack with the stored pack's name is taken to be the stored one. */
export function parseDraft(text: string, stored: StoredPolicies): Read {
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: true });
  const problems = document.errors.map(({ message, pos: [from, to] }) => ({
    message,
    from,
    to: Math.max(to, from + 1),
  }));
  if (problems.length > 0) return { policies: undefined, problems, placed: () => [] };
  const typed = document.toJS({ maxAliasCount: 1_000 }) as unknown;
  return { policies: withPack(typed ?? {}, stored), problems, placed: (fault) => placedIn(document, fault) };
}

function withPack(typed: unknown, { pack }: StoredPolicies): unknown {
  if (typeof typed !== 'object' || typed === null || !('pack' in typed) || !pack || typed.pack !== pack.name)
    return typed;
  return { ...typed, pack };
}

/** A line of a refusal: a path, the line number in the text if known, and the error. */
const line = /^tool_policies([^\s:]*)(?: \([^)]*\))?: (.*)$/;

function placedIn(document: Document, fault: string): Problem[] {
  return fault.split('\n').flatMap((each) => {
    const [, path, message] = line.exec(each) ?? [];
    if (path === undefined || message === undefined) return [];
    const [from, to] = rangeOf(document, stepsOf(path));
    return [{ message, from, to }];
  });
}

/** Returns `.rules[0].arguments."a.b"` as steps. */
export const stepsOf = (path: string): (string | number)[] =>
  [...path.matchAll(/\[(\d+)\]|\.("(?:[^"\\]|\\.)*"|[^.[\]]+)/g)].map(([, index, name = '']) =>
    index !== undefined ? Number(index) : name.startsWith('"') ? (JSON.parse(name) as string) : name,
  );

/**
 * Returns the range of the value at a path, or of its key if the value is long. If the path does not exist, uses the
 * last part of it that does.
 */
function rangeOf({ contents }: Document, steps: readonly (string | number)[]): readonly [number, number] {
  let at = contents as Node | null | undefined;
  let found = at?.range;
  for (const step of steps) {
    if (isMap(at)) {
      const pair = at.items.find(({ key }) => isScalar(key) && key.value === step);
      if (!pair) break;
      found = (isScalar(pair.value) && pair.value.range ? pair.value : (pair.key as Node)).range;
      at = pair.value as Node | null;
    } else if (isSeq(at) && typeof step === 'number') {
      at = at.items[step] as Node | undefined;
      found = at?.range ?? found;
    } else break;
  }
  const [from = 0, to = 1] = found ?? [];
  return [from, Math.max(to, from + 1)];
}
