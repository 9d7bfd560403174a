/**
 * What a changed definition adds to the accepted one. What is kept of the accepted one holds no word of its server: digests of
 * names, and classes of the gateway's own [guard.changes].
 */
import { secrecyOf } from '#core/evidence/secret-names.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { folded } from './check-text.ts';
import { definitionTexts, parametersOf } from './definition-texts.ts';
import { checkDefinition } from './definitions.ts';
import type { ChangeKind } from './finding.ts';

/** What matters of a definition. */
interface Surface {
  /** Kinds of findings, and classes of words in its texts. */
  readonly says: readonly string[];
  /** Digest of a parameter's name: its type, `!` where it is required, `*` where it is a secret. */
  readonly parameters: Readonly<Record<string, string>>;
  /** `readOnlyHint`, `destructiveHint`, `idempotentHint`, `openWorldHint`: y, n or -. */
  readonly hints: string;
}

const reach: Readonly<Record<string, RegExp>> = {
  send: /\b(?:send|sends|sent|mail|mails|email|emails|post|posts|upload|uploads|forward|forwards|share|shares|publish|publishes|notif(?:y|ies)|transmits?|sync|syncs|webhook)\b/,
  delete:
    /\b(?:delete|deletes|remove|removes|erase|erases|drop|drops|purge|purges|wipe|wipes|overwrite|overwrites|destroy|destroys)\b/,
  write:
    /\b(?:write|writes|create|creates|update|updates|modif(?:y|ies)|edit|edits|insert|inserts|set|sets|change|changes|merge|merges|push|pushes)\b/,
  execute:
    /\b(?:execute|executes|run|runs|shell|command|commands|script|scripts|eval|spawn|install|installs|deploy|deploys)\b/,
  network: /\b(?:https?|url|urls|internet|download|downloads|fetch|fetches|remote|external|third[- ]party)\b/,
  pay: /\b(?:pay|pays|payment|purchase|buy|buys|transfer|transfers|refund|charge|charges)\b/,
  secrets: /\b(?:password|passwords|secret|secrets|credential|credentials|token|tokens|api[ _-]?keys?|private key)\b/,
  people: /\b(?:personal data|contacts|address book|location|calendar|messages|conversation|history)\b/,
  orders: /\b(?:must|always|never|important|before|first|do not|don't|required to|instead|ignore|immediately)\b/,
};

export function surfaceOf(definition: JsonObject): Surface {
  const text = folded(
    definitionTexts(definition)
      .map(({ text }) => text.slice(0, 8_192))
      .join('\n')
      .slice(0, 65_536),
  );
  const kinds = checkDefinition(definition)
    .filter(({ severity }) => severity !== 'low')
    .map(({ kind }) => `found:${kind}`);
  const classes = Object.keys(reach).filter((name) => reach[name]!.test(text));
  const { annotations } = definition;
  const hint = (name: string): string => {
    const value = (annotations as JsonObject | undefined)?.[name];
    return value === true ? 'y' : value === false ? 'n' : '-';
  };
  return {
    says: [...new Set([...kinds, ...classes])].sort(),
    parameters: Object.fromEntries(
      parametersOf(definition)
        .slice(0, maxParameters)
        .map(({ name, type, required }) => [
          digestOf(name).slice(0, 8),
          `${/^[a-z]{1,8}$/.test(type) ? type : 'any'}${required ? '!' : ''}${secrecyOf(name) === 'none' ? '' : '*'}`,
        ]),
    ),
    hints: ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'].map(hint).join(''),
  };
}

const maxParameters = 32;

/** As it is kept beside a fingerprint: about a hundred characters. */
export const surfaceText = ({ says, parameters, hints }: Surface): string =>
  [
    says.join(','),
    Object.entries(parameters)
      .map(([name, mark]) => `${name}=${mark}`)
      .join(','),
    hints,
  ].join('|');

export function surfaceFrom(text: string): Surface {
  const [says = '', parameters = '', hints = '----'] = text.split('|');
  const listed = (part: string): string[] => (part === '' ? [] : part.split(','));
  return {
    says: listed(says),
    parameters: Object.fromEntries(listed(parameters).map((each) => each.split('=') as [string, string])),
    hints,
  };
}

/** Kinds of what the later definition adds; empty for a change that does not matter. */
export function changesBetween(before: Surface, after: Surface): ChangeKind[] {
  const kinds = new Set<ChangeKind>();
  for (const each of after.says) {
    if (before.says.includes(each)) continue;
    kinds.add(
      each.startsWith('found:') || each === 'orders'
        ? 'new_instruction'
        : each === 'secrets'
          ? 'new_secret'
          : 'new_reach',
    );
  }
  for (const [name, now] of Object.entries(after.parameters)) {
    const was = before.parameters[name];
    if (was === now) continue;
    const [secret, required] = [now.endsWith('*'), now.includes('!')];
    if (secret && required && !was?.includes('!')) kinds.add('new_secret');
    if (was !== undefined && typeOf(was) !== typeOf(now)) kinds.add('new_reach');
  }
  const [readOnly, destructive, , world] = [...after.hints];
  const [readBefore, destroyedBefore, , worldBefore] = [...before.hints];
  if (
    (readOnly === 'y' && readBefore !== 'y') ||
    (destroyedBefore === 'y' && destructive !== 'y') ||
    (worldBefore === 'y' && world === 'n')
  )
    kinds.add('looser_annotation');
  return [...kinds].sort();
}

const typeOf = (mark: string): string => mark.replace(/[!*]/g, '');

/** What an approval is bound to beside the call: another digest where a change matters. Corrected words and optional parameters keep it. */
export function meaningDigest(definition: JsonObject): string {
  const known = matters.get(definition);
  if (known !== undefined) return known;
  const { says, parameters, hints } = surfaceOf(definition);
  const required = Object.entries(parameters)
    .filter(([, mark]) => mark.endsWith('!*'))
    .sort();
  const digest = digestOf({ says, required, hints });
  matters.set(definition, digest);
  return digest;
}

const matters = new WeakMap<JsonObject, string>();
