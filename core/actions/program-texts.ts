/**
 * Which texts of a call will be executed where the call goes: what the readers of effects take for a line, a statement or an
 * argument vector, and parameters that are named as code. They are shown and recorded whole or not at all.
 */
import type { ToolCall } from '#core/contracts/envelope.ts';
import { lineOf } from '#core/effects/shell/carried.ts';
import { sqlTextsOf } from '#core/effects/sql/texts.ts';
import { remembered } from '#core/kernel/remembered.ts';
import type { Verdict } from '#core/policy/rules/verdict.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { childPath } from '#core/text/secrets/json-path.ts';
import { hasProgramSecret } from '#core/text/secrets/program-secrets.ts';
import { normalisedName, secrecyOf } from '#core/text/secrets/secret-names.ts';

/** What a parameter's name ends in when its text is code of some language. */
const codeNames = new Set(
  `command commands cmd cmds commandline script scripts sql statement statements argv args expression expressions expr eval
  code program javascript js typescript ts python py bash shell powershell lua ruby perl lambda formula jq awk exec entrypoint
  snippet cell cells hook hooks run runs`.split(/\s+/),
);
/** Their parameters travel as data; `code` is a word of logins there. */
const dataProtocols = new Set(['http', 'llm']);
const environmentNames = ['env', 'environment'];
const inputNames = ['stdin', 'input'];

interface Place {
  /** As `redact` names it below `{ target, parameters, sent_with }`. */
  readonly path: string;
  /** The parameter it is in, or the target. */
  readonly parameter: string;
  readonly text: string;
  /** It stands below a name whose value is withheld as a whole. */
  readonly hidden: boolean;
}

/** A text of a call that will be executed. */
export interface ProgramPlace extends Pick<Place, 'path' | 'parameter'> {
  readonly secret: boolean;
}

/** Asked about a call more than once on its way; a long text is read once. */
export const programTexts = remembered((call: ToolCall): readonly ProgramPlace[] =>
  [...places(call)].map(({ path, parameter, text, hidden }) => ({
    path,
    parameter,
    secret: hidden || hasProgramSecret(text),
  })),
);

/** Remembers what a worker found of a call [limit.heavy-call]. */
export const rememberPrograms = programTexts.know;

/** Paths of the texts of a call that will be executed. */
export const programPaths = (call: ToolCall): ReadonlySet<string> =>
  new Set(programTexts(call).map(({ path }) => path));

/** As many places as an approval names one by one. */
const maxPlaces = 100;

/** The same for people: many places are named by the parameters they are in, too many parameters by the word alone. */
export function executedPlaces(call: ToolCall): readonly string[] {
  const texts = programTexts(call);
  if (texts.length <= maxPlaces) return texts.map(({ path }) => path);
  const holding = new Set(texts.map(({ parameter }) => parameter));
  return holding.size <= maxPlaces ? [...holding] : ['$.target', '$.parameters'];
}

/** Paths of executable texts that hold a secret, or that would be withheld with what is around them. */
export const secretsInPrograms = (call: ToolCall): readonly string[] =>
  programTexts(call).flatMap(({ path, secret }) => (secret ? [path] : []));

/** `matched_rule` of a call that is refused because its executable text holds a secret. */
export const secretRule = 'effects:secret';

/** The refusal of a call with a secret in its executable text; undefined for every other call [approval.secret-in-program]. */
export function refuseSecrets(call: ToolCall): Verdict | undefined {
  const places = secretsInPrograms(call);
  if (places.length === 0) return undefined;
  const shown = places.slice(0, 5).map((path) => path.replace(/^\$\./, ''));
  return {
    decision: 'block',
    matched_rule: secretRule,
    reason: `Found what looks like a secret in ${shown.join(', ')}. This text is executed, so reviewers and evidence see all of it: it may not hold secrets. Pass secrets by reference.`,
  };
}

/** How a caller passes a secret without writing it down. */
export const byReference =
  'Pass secrets by reference: a variable that the program reads where it runs ($NAME; executors.shell.env gives programs variables), ' +
  'a file there, or the credential that a grant for this tool mints (credentials.grants).';

function* places(call: ToolCall): Iterable<Place> {
  const protocol = foldCase(call.protocol).trim();
  if (dataProtocols.has(protocol)) return;
  const { lines, runs } = readerTexts(call);
  if (call.target !== '' && (protocol === 'shell' || lines.has(call.target)))
    yield { path: '$.target', parameter: '$.target', text: call.target, hidden: false };
  for (const [name, value] of Object.entries(call.parameters)) {
    const parameter = childPath('$.parameters', name);
    if (runs && environmentNames.includes(name)) yield* environment(value, parameter);
    else yield* textsBelow(value, parameter, name, { parameter, lines, input: runs && inputNames.includes(name) });
  }
  yield* sentPlaces(call, lines);
}

/** What goes along with the parameters, such as answers to a server's questions. */
function* sentPlaces({ sent_with = {} }: ToolCall, lines: ReadonlySet<string>): Iterable<Place> {
  for (const [name, value] of Object.entries(sent_with)) {
    const parameter = childPath('$.sent_with', name);
    yield* textsBelow(value, parameter, name, { parameter, lines, input: false });
  }
}

/** What the readers themselves take for lines, words and statements. */
function readerTexts(call: ToolCall): { readonly lines: ReadonlySet<string>; readonly runs: boolean } {
  const lines = new Set<string>();
  try {
    const carried = lineOf(call);
    for (const text of carried?.texts ?? []) {
      if (typeof text === 'string') lines.add(text);
      else for (const word of text) lines.add(word.text);
    }
    for (const { text } of sqlTextsOf(call).texts) lines.add(text);
    return { lines, runs: carried !== undefined };
  } catch {
    return { lines, runs: true };
  }
}

interface Looking {
  readonly parameter: string;
  readonly lines: ReadonlySet<string>;
  readonly input: boolean;
  /** Below a name whose value is withheld. */
  readonly below?: boolean;
  /** Below a name of code: `script: { build: "…" }`. */
  readonly code?: boolean;
}

function* textsBelow(value: unknown, path: string, name: string, looking: Looking): Iterable<Place> {
  const { parameter, lines, input, below = false, code = false } = looking;
  if (typeof value === 'string') {
    if (input || lines.has(value) || isCode(name) || (code && secrecyOf(name) === 'none'))
      yield { path, parameter, text: value, hidden: below || secrecyOf(name) === 'whole' };
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* textsBelow(item, childPath(path, index), name, looking);
  } else if (typeof value === 'object' && value !== null) {
    const hidden = below || secrecyOf(name) === 'whole';
    for (const [key, item] of Object.entries(value))
      yield* textsBelow(item, childPath(path, key), key, {
        parameter,
        lines,
        input,
        below: hidden,
        code: code || isCode(name),
      });
  }
}

/** What the last letters of such names are: cheaper to look for than their words are. */
const codeEnding =
  /(?:command|cmd|line|script|sql|statement|argv|args|expression|expr|eval|code|program|ts|js|py|python|bash|shell|lua|ruby|perl|lambda|formula|jq|awk|exec|entrypoint|snippet|cell|hook|run)s?[^a-z]*$/i;

const isCode = (name: string): boolean =>
  codeEnding.test(name.slice(-64)) && codeNames.has(normalisedName(name.slice(-128)).split('_').at(-1)!);

/** Variables can hold programs (`GIT_SSH_COMMAND`); one whose name says that it is a secret is data, and withheld. */
function* environment(value: unknown, parameter: string): Iterable<Place> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, text] of Object.entries(value))
    if (typeof text === 'string' && secrecyOf(name) === 'none')
      yield { path: childPath(parameter, name), parameter, text, hidden: false };
}
