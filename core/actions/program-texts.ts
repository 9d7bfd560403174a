/**
 * Finds the text in a call that its destination will execute: lines, statements and argument vectors that the effect
 * readers recognise, and parameters whose names indicate code. Such text is shown and recorded in full or not at all.
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

/** Last words in the names of parameters that contain code. */
const codeNames = new Set(
  `command commands cmd cmds commandline script scripts sql statement statements argv args expression expressions expr eval
  code program javascript js typescript ts python py bash shell powershell lua ruby perl lambda formula jq awk exec entrypoint
  snippet cell cells hook hooks run runs`.split(/\s+/),
);
/** Protocols whose parameters are data. In HTTP, a `code` parameter is part of a login. */
const dataProtocols = new Set(['http', 'llm']);
const environmentNames = ['env', 'environment'];
const inputNames = ['stdin', 'input'];

interface ParameterText {
  /** JSON path below `{ target, parameters, sent_with }`, as written by `redact`. */
  readonly path: string;
  /** Path of the parameter that contains this place, or of the target. */
  readonly parameter: string;
  readonly text: string;
  /** True below a name whose entire value is withheld. */
  readonly hidden: boolean;
}

/** Text in a call that will be executed. */
export interface ProgramPlace extends Pick<ParameterText, 'path' | 'parameter'> {
  readonly secret: boolean;
}

/** Returns the executable text in a call. Cached, because several steps use it and it can be long. */
export const programTexts = remembered((call: ToolCall): readonly ProgramPlace[] =>
  [...places(call)].map(({ path, parameter, text, hidden }) => ({
    path,
    parameter,
    secret: hidden || hasProgramSecret(text),
  })),
);

/** Caches the executable text that a worker found in a call [limit.hostile]. */
export const rememberPrograms = programTexts.know;

/** Returns the paths of the executable text in a call. */
export const programPaths = (call: ToolCall): ReadonlySet<string> =>
  new Set(programTexts(call).map(({ path }) => path));

/** Maximum number of places that an approval lists individually. */
const maxPlaces = 100;

/**
 * Returns the places in readable form. If there are many, only their parameters are listed; if there are too many
 * parameters, only `$.target` and `$.parameters`.
 */
export function executedPlaces(call: ToolCall): readonly string[] {
  const texts = programTexts(call);
  if (texts.length <= maxPlaces) return texts.map(({ path }) => path);
  const holding = new Set(texts.map(({ parameter }) => parameter));
  return holding.size <= maxPlaces ? [...holding] : ['$.target', '$.parameters'];
}

/** Returns the paths of executable text that contains a secret or is below a withheld name. */
export const secretsInPrograms = (call: ToolCall): readonly string[] =>
  programTexts(call).flatMap(({ path, secret }) => (secret ? [path] : []));

/** `matched_rule` of a call refused because its executable text contains a secret. */
export const secretRule = 'effects:secret';

/** Returns a block if a call's executable text contains a secret [approval.secret-in-program]. */
export function refuseSecrets(call: ToolCall): Verdict | undefined {
  const places = secretsInPrograms(call);
  if (places.length === 0) return undefined;
  const shown = places.slice(0, 5).map((path) => path.replace(/^\$\./, ''));
  return {
    decision: 'block',
    matched_rule: secretRule,
    reason: `Found what looks like a secret in ${shown.join(', ')}. This text is executed, so it is shown in full to reviewers and recorded in evidence: it must not contain secrets. Pass secrets by reference.`,
  };
}

/** Advice on how to pass a secret by reference. */
export const byReference =
  'Pass secrets by reference: a variable that the program reads where it runs ($NAME; executors.shell.env gives programs variables), ' +
  'a file there, or the credential that a grant for this tool mints (credentials.grants).';

function* places(call: ToolCall): Iterable<ParameterText> {
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

/** Yields the places in values sent with the parameters, such as answers to a server's questions. */
function* sentPlaces({ sent_with = {} }: ToolCall, lines: ReadonlySet<string>): Iterable<ParameterText> {
  for (const [name, value] of Object.entries(sent_with)) {
    const parameter = childPath('$.sent_with', name);
    yield* textsBelow(value, parameter, name, { parameter, lines, input: false });
  }
}

/** Returns the text that the effect readers parse as lines, words or statements. */
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

interface SearchContext {
  readonly parameter: string;
  readonly lines: ReadonlySet<string>;
  readonly input: boolean;
  /** True below a name whose value is withheld. */
  readonly below?: boolean;
  /** True below a name that indicates code: `script: { build: "…" }`. */
  readonly code?: boolean;
}

function* textsBelow(value: unknown, path: string, name: string, looking: SearchContext): Iterable<ParameterText> {
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

/** Endings of such names, as a cheap check before their words are compared. */
const codeEnding =
  /(?:command|cmd|line|script|sql|statement|argv|args|expression|expr|eval|code|program|ts|js|py|python|bash|shell|lua|ruby|perl|lambda|formula|jq|awk|exec|entrypoint|snippet|cell|hook|run)s?[^a-z]*$/i;

const isCode = (name: string): boolean =>
  codeEnding.test(name.slice(-64)) && codeNames.has(normalisedName(name.slice(-128)).split('_').at(-1)!);

/**
 * Yields environment variables, which can contain programs (`GIT_SSH_COMMAND`). Variables whose names indicate a secret
 * are data and are withheld.
 */
function* environment(value: unknown, parameter: string): Iterable<ParameterText> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, text] of Object.entries(value))
    if (typeof text === 'string' && secrecyOf(name) === 'none')
      yield { path: childPath(parameter, name), parameter, text, hidden: false };
}
