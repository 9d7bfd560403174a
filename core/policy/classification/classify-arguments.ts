/**
 * Determines a call's capability from its arguments. A tool whose name only implies reading may take an operation
 * (`method: DELETE`), a switch (`purge: true`), an output file (`output_path`) or a program [action.class].
 */

import type { OwnNetworks } from '#core/contracts/config/catalog.ts';
import type { Capability } from '#core/contracts/envelope.ts';
import { isObject } from '#core/kernel/narrow.ts';
import {
  addressKeys,
  calledTools,
  calledWith,
  commandLists,
  databaseOperators,
  excludingSwitches,
  expressionKeys,
  fetching,
  formatWords,
  hostKeys,
  listeners,
  modeKeys,
  operationKeys,
  outputVerbs,
  places,
  programKeys,
  programReaders,
  reachedByPrograms,
  readingMethods,
  replacements,
  revealingSwitches,
  sendingNouns,
  shownVerbs,
  switches,
  textKeys,
  valuedVerbs,
  writingMethods,
  writingModes,
  writtenKeys,
} from './argument-words.ts';
import { calledBy, changeOfEndpoint } from './called-names.ts';
import { changeOfWord, classifyTool, moreSevere, type ToolClass } from './classify-tool.ts';
import { holdsOption, isOptionInPlace, programNamed } from './command-programs.ts';
import { hasMutation } from './graphql-text.ts';
import { isInnerAddress } from './inner-address.ts';
import { changesStore } from './other-queries.ts';
import { toolWords, wordsIn } from './tool-words.ts';
import { readingNouns } from './verbs.ts';

const maxValues = 20_000;
const maxLevels = 64;

/**
 * Returns the most severe capability that an argument implies, with its reason. Undefined if all arguments only imply
 * reading.
 * @param tool the tool's name: a tool that checks or explains a program does not run it.
 * @param parameters the parameters; if they, or the values sent alongside them, are too large or too deep to scan, the
 * result is `execute`.
 * @param networks networks in the configuration.
 */
export function classifyArguments(
  tool: string,
  parameters: unknown,
  sentWith?: unknown,
  networks?: OwnNetworks,
): ToolClass | undefined {
  const { family, words } = toolWords(tool);
  const look = new Look(words, [...family, ...words], networks);
  for (const value of [parameters, sentWith]) look.walk(value, [], 0);
  return look.gravest;
}

class Look {
  gravest: ToolClass | undefined;
  #left = maxValues;
  readonly #tool: readonly string[];
  readonly #readsPrograms: boolean;
  /** Words of the tool's name, including its family. */
  readonly #named: readonly string[];
  /** True if the tool's command line is parsed as one [effects.profiles]. */
  readonly #hasProgram: boolean;

  readonly #networks: OwnNetworks | undefined;

  constructor(tool: readonly string[], named: readonly string[], networks: OwnNetworks | undefined) {
    this.#networks = networks;
    this.#tool = tool;
    this.#named = named;
    this.#hasProgram = programNamed(named) !== undefined;
    this.#readsPrograms = tool.some((word) => programReaders.has(word));
  }

  walk(value: unknown, key: readonly string[], level: number): void {
    if (this.#left-- <= 0 || level > maxLevels) {
      this.#found('execute', 'it has too many arguments to check');
      return;
    }
    const verb = key.length === 1 && hasContents(value) && valuedVerbs.has(key[0]!) ? changeOfWord(key[0]!) : undefined;
    if (verb) this.#found(verb, `the argument "${key[0]}" says what is changed`);
    if (isObject(value)) this.#object(value);
    if (Array.isArray(value)) {
      const done = changeOfCommand(key, value);
      if (done) this.#found(done, `the list "${key.at(-1)}" is a command that does not only read`);
      for (const item of value) this.walk(item, key, level + 1);
    } else if (value !== null && typeof value === 'object')
      for (const [name, item] of Object.entries(value)) this.walk(item, namedBy(key, wordsIn(name)), level + 1);
    else this.#leaf(value, key, level);
  }

  /** Checks an object as a whole: `{tool: 'delete_file', arguments: {…}}`, `{$out: 'copy'}`, `{set: {…}}`. */
  #object(value: Readonly<Record<string, unknown>>): void {
    if (calledWith.some((name) => isObject(value[name]) || Array.isArray(value[name])))
      for (const name of calledTools) {
        const called = value[name];
        if (typeof called !== 'string') continue;
        const { capability } = classifyTool(called);
        if (capability !== 'read')
          this.#found(capability, `the argument "${name}" calls a tool that does not only read`);
      }
    const asked = typeof value.name === 'string' && calledWith.some((name) => isObject(value[name])) ? value.name : '';
    const { capability, changes } = classifyTool(asked);
    // `name` may refer to anything, so it counts as a called tool only if it contains a verb that implies a change.
    if (changes && capability !== 'read')
      this.#found(capability, 'the argument "name" calls a tool that does not only read');
    const { script } = value;
    if (isObject(script) && ['source', 'inline', 'id'].some((name) => typeof script[name] === 'string'))
      this.#found('execute', 'the argument "script" holds a program');
    for (const [operator, change] of databaseOperators)
      if (Object.hasOwn(value, operator)) this.#found(change, `${operator} does not only read`);
    if (isObject(value.set) && Object.keys(value.set).length > 0)
      this.#found('write', 'the argument "set" says what is changed');
  }

  #leaf(value: unknown, key: readonly string[], level: number): void {
    const name = key.join('_');
    const shown = JSON.stringify(name.slice(0, 40));
    if (isOn(value)) {
      const change = switchedOn(key);
      if (change) this.#found(change, `the argument ${shown} is on`);
    }
    if (typeof value !== 'string' || value === '') return;
    this.#json(value, key, level);
    if (actsAs(key)) this.#found('execute', `the argument ${shown} has the tool act as another caller`);
    if (splitsRequest(key, value))
      this.#found('execute', `the argument ${shown} contains a line break that splits its request`);
    if (externalEntity.test(value)) this.#found('execute', `the argument ${shown} has a parser load another file`);
    const operation = operationOf(key, value.trim()) ?? modeOf(key, value.trim());
    if (operation) this.#found(operation, `the argument ${shown} names an operation that does not only read`);
    const called = calledBy(this.#tool, key, value);
    if (called) this.#found(called, `the argument ${shown} names what is called`);
    const changed = changeOfEndpoint(this.#tool, key, value);
    if (changed) this.#found(changed, `the argument ${shown} is the address of an operation`);
    if (this.#isInner(key, value)) this.#found('execute', `the argument ${shown} is an address outside the public web`);
    if (addressKeys.has(key.at(-1) ?? '') && runsInBrowser(value))
      this.#found('execute', `the argument ${shown} is an address that holds a program`);
    const sent = sentTo(key);
    if (sent) this.#found(sent, `the argument ${shown} names a recipient or destination`);
    if (isOptionInPlace(this.#tool, key, value) || (!this.#hasProgram && holdsOption(key, value)))
      this.#found('execute', `the argument ${shown} may be an option of the program behind the tool`);
    if (replacements.has(name)) this.#found('write', `the argument ${shown} holds a replacement`);
    if (isOutput(key, value)) this.#found('write', `the argument ${shown} names a place to write to`);
    if (hasMutation(value)) this.#found('write', `the argument ${shown} holds a GraphQL mutation or subscription`);
    if (changesStore(this.#named, key, value))
      this.#found('write', `the argument ${shown} holds a query that changes something`);
    if (!this.#readsPrograms && isProgram(key.at(-1) ?? '', value))
      this.#found('execute', `the argument ${shown} holds a program`);
  }

  #isInner(key: readonly string[], value: string): boolean {
    const last = key.at(-1) ?? '';
    if (textKeys.has(last)) return false;
    const isHost = hostKeys.has(last) && this.#tool.some((word) => fetching.has(word));
    return isInnerAddress(value, isHost || addressKeys.has(last), this.#networks);
  }

  /** Checks JSON in a string as if it were the value itself, except in text written by people. */
  #json(text: string, key: readonly string[], level: number): void {
    if (!/^\s*[[{]/.test(text) || text.length > maxJson || writtenKeys.has(key.at(-1) ?? '')) return;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return;
    }
    this.walk(value, key, level + 1);
  }

  #found(capability: Exclude<Capability, 'read'>, why: string): void {
    if (!this.gravest || moreSevere(capability, this.gravest.capability) !== this.gravest.capability)
      this.gravest = { capability, why };
  }
}

const maxJson = 64 * 1024;

/** Checks for an argument to act as another user: `impersonate`, `run_as`, `as_user`. */
const actsAs = (key: readonly string[]): boolean =>
  key.includes('impersonate') || ['act_as', 'as_user', 'on_behalf_of', 'run_as', 'sudo_user'].includes(key.join('_'));

const splitsRequest = (key: readonly string[], value: string): boolean =>
  /[^\r\n][\r\n]/.test(value.trim()) &&
  (addressKeys.has(key.at(-1) ?? '') || ['path', 'route'].includes(key.at(-1) ?? ''));

const externalEntity = /<!ENTITY\s+(?:%\s*)?\S+\s+(?:SYSTEM|PUBLIC)\b/i;

/** Returns what a command list changes: `{args: ['delete', 'pod', 'x']}` is a command for the tool's program. */
function changeOfCommand(key: readonly string[], list: readonly unknown[]): Exclude<Capability, 'read'> | undefined {
  if (!commandLists.has(key.at(-1) ?? '')) return undefined;
  const verb = list.find((word): word is string => typeof word === 'string' && /^[a-z][a-z-]*$/i.test(word));
  return verb === undefined || shownVerbs.has(verb.toLowerCase()) ? undefined : changeOfWord(verb.toLowerCase());
}

/**
 * Returns the outer key for `{action: {type: 'delete'}}`, which names its operation in the same way as `{action:
 * 'delete'}`.
 */
const namedBy = (outer: readonly string[], own: readonly string[]): readonly string[] =>
  own.length === 1 && ['kind', 'name', 'type', 'value'].includes(own[0]!) && isOperationKey(outer) ? outer : own;

/**
 * Checks that a value is present, not switched off, and not a number, since a count does not name anything to change.
 */
const hasContents = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.trim() !== '' && !/^\s*(?:false|no|off|0|n|f|none|null)\s*$/i.test(value)
    : value !== null && typeof value === 'object' && Object.keys(value).length > 0;

const isOn = (value: unknown): boolean =>
  value === true || value === 1 || (typeof value === 'string' && /^\s*(?:true|yes|on|1|y|t)\s*$/i.test(value));

/** Returns what a switch with this name changes: `purge`, `delete_after_read`, `mark_as_read`. */
function switchedOn(key: readonly string[]): Exclude<Capability, 'read'> | undefined {
  if (excludingSwitches.has(key[0] ?? '')) return undefined;
  let gravest: Exclude<Capability, 'read'> | undefined;
  for (const word of key) {
    if (shownVerbs.has(word)) continue;
    const change = revealingSwitches.has(word)
      ? 'execute'
      : (changeOfWord(word) ?? (key.length === 1 ? switches.get(word) : undefined));
    if (change && (!gravest || moreSevere(change, gravest) !== gravest)) gravest = change;
  }
  return gravest;
}

const isMethodKey = (key: readonly string[]): boolean =>
  key.at(-1) === 'method' || key.at(-1) === 'methods' || (key.includes('method') && key.includes('override'));
const isOperationKey = (key: readonly string[]): boolean => {
  const last = key.at(-1) ?? '';
  const named = last === 'type' || last === 'name' ? (key.at(-2) ?? '') : last;
  return operationKeys.has(named) || isMethodKey(key);
};

function operationOf(key: readonly string[], value: string): Exclude<Capability, 'read'> | undefined {
  if (!isOperationKey(key)) return undefined;
  const word = value.toLowerCase();
  if (readingMethods.has(word) || readingNouns.has(word)) return undefined;
  const written = writingMethods.get(word);
  if (written) return written;
  const { capability, changes } = classifyTool(value);
  if (capability === 'read') return undefined;
  // A method may be mathematical (`method: linear`), whereas HTTP methods are in capitals.
  if (!changes && isMethodKey(key) && value !== value.toUpperCase()) return undefined;
  return capability;
}

function modeOf(key: readonly string[], value: string): Exclude<Capability, 'read'> | undefined {
  if (!modeKeys.has(key.at(-1) ?? '')) return undefined;
  if (writingModes.test(value)) return 'write';
  const [verb = ''] = wordsIn(value);
  return shownVerbs.has(verb) ? undefined : changeOfWord(verb);
}

/** Returns `write` for `send_to`, `copy_to` and callbacks, whose recipients receive the result. */
function sentTo(key: readonly string[]): Exclude<Capability, 'read'> | undefined {
  if (listeners.has(key.join('_')) || key.join('_') === 'share_with') return 'write';
  if (key.length !== 2 || key[1] !== 'to') return undefined;
  return changeOfWord(key[0]!) ?? (sendingNouns.has(key[0]!) ? 'write' : undefined);
}

/** Checks for an address whose content is run by a browser. */
const runsInBrowser = (value: string): boolean =>
  /^[\p{Cc}\s]*(?:j[\s]*a[\s]*v[\s]*a[\s]*s[\s]*c[\s]*r[\s]*i[\s]*p[\s]*t|vbscript)[\s]*:|^\s*data:(?:text\/(?:html|xml|javascript)|image\/svg|application\/x(?:html|ml|slt))/iu.test(
    value,
  );

const pathLike = /[/\\]|^~|\.[a-z][a-z0-9]{0,7}$/i;

/** Checks for a place to which the result is written, instead of or in addition to the response. */
function isOutput(key: readonly string[], value: string): boolean {
  const [first = ''] = key;
  const last = key.at(-1) ?? '';
  if (key.length === 1) {
    if (outputVerbs.get(first) === 'joined') return true;
    return first !== 'to' && outputVerbs.has(first) && pathLike.test(value.trim()) && !formatWords.test(value.trim());
  }
  return (outputVerbs.has(first) && places.has(last)) || (last === 'out' && places.has(first));
}

const isProgram = (last: string, value: string): boolean => {
  if (programKeys.has(last)) return /[;\n=]|[\w\])]\s*\(/.test(value) || reachedByPrograms.test(value);
  return (
    expressionKeys.has(last) &&
    /;|=(?!=)|\b(?:import|require|eval|exec|system|open|process|globalThis|window|document|fetch|this)\b|__/.test(value)
  );
};
