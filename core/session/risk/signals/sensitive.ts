/** Finds secrets and personal data by matching whole names: files, secret stores, tables, metadata services. */

import { tables } from '#core/catalog/databases.ts';
import { printingSecrets } from '#core/catalog/program-kinds.ts';
import { asText } from '#core/kernel/as-text.ts';
import { wordSet } from '#core/kernel/word-set.ts';
import { wordsIn } from '#core/policy/classification/tool-words.ts';
import { type Call, commandWords, type Finder, pathsOf, type SignalContext, type SignalMatch } from './call.ts';

const storeTools =
  /^(?:get|read|fetch|access|batch_get)_(?:secret|secrets|secret_value|credential|credentials|password|api_key|private_key)$/;

/** Returns the signal for reading or requesting a secret. */
export function secret(
  call: Call,
  { isSensitive: isConfigured, isSecretPath, networkOfHost }: SignalContext,
): SignalMatch | undefined {
  if (call.capability === 'delete') return undefined;
  if (call.protocol === 'sql') {
    const isSecret = secretTables.has(targetName(call.target)) || isConfigured(call.target);
    return call.capability === 'read' && isSecret ? secretMatch(call.target) : undefined;
  }
  if (call.protocol === 'http') {
    const host = asText(call.parameters.host ?? '');
    return networkOfHost(host) === 'metadata' || isConfigured(call.target)
      ? secretMatch(host || call.target)
      : undefined;
  }
  const reads = call.capability === 'read' || (call.capability === 'execute' && call.protocol !== 'shell');
  if (reads) {
    const path = pathsOf(call).find((each) => (isSecretPath(each) && !isHandshake(call, each)) || isConfigured(each));
    if (path !== undefined) return secretMatch(path);
  }
  if (storeTools.test(call.word)) return secretMatch(`${call.word} ${call.target}`.trim());
  if (call.protocol !== 'shell') return undefined;
  const { shows, operation } = call.parameters;
  if (shows === 'secrets') return secretMatch(`${call.word} ${asText(operation ?? call.target)}`);
  const line = commandWords(call).join(' ');
  const prints = line === 'env' || printingSecrets.some((command) => `${line} `.startsWith(`${command} `));
  return prints ? secretMatch(line.split(' ', 4).join(' ')) : undefined;
}

/** Checks whether curl uses a key only to authenticate, without sending it. */
function isHandshake({ argv, word }: Call, path: string): boolean {
  if (word !== 'curl') return false;
  const name = path.slice(path.lastIndexOf('/') + 1);
  return argv.some(
    (option, i) => /^(?:-E|--cert|--key|--cacert|--netrc-file)$/.test(option) && argv[i + 1]?.endsWith(name),
  );
}

const secretTables = wordSet(tables.secret);
const personalTables = wordSet(tables.personal);
const personalWords = wordSet(tables.personal_words);

/** Returns the signal for reading personal data. */
export const personalData: Finder = (call) => {
  if (call.protocol !== 'sql' || call.capability !== 'read') return undefined;
  const table = targetName(call.target);
  return personalTables.has(table) || wordsIn(table).some((part) => personalWords.has(part))
    ? { kind: 'personal', object: call.target }
    : undefined;
};

/** Returns the bare table name, such as `users` for `shop."Users"`. */
const targetName = (target: string): string => {
  const name = target.replaceAll('"', '').toLowerCase();
  return name.startsWith('mysql.') ? name : name.slice(name.lastIndexOf('.') + 1);
};

const secretMatch = (object: string): SignalMatch => ({ kind: 'secret', object });
