/**
 * Finds the acquisition of privileges: root, set-uid, accounts, IAM, database roles, and files that run with another
 * user's rights.
 */
import { pipelines, rights } from '#core/catalog/file-kinds.ts';
import { isOfKind } from '#core/catalog/program-kind.ts';
import { becoming, granting, passwords } from '#core/catalog/program-kinds.ts';
import { isFileOfKind } from '#core/text/matching/file-kind.ts';
import { type Call, commandWords, type Finder, pathsOf, riskyOperation, type SignalMatch } from './call.ts';

const setsUserId = /^(?:[ugoa]*[ugoa]?\+[rwxX]*s[rwxXst]*|[ugo]+=[rwx]*s[rwx]*|0?[4567][0-7]{3})$/;
const iamWords =
  /^(?:attach|put|create|update|add|set|pass)_(?:role|user|group|policy|access_key|login_profile|assume_role_policy|iam|bucket_policy|permission|collaborator|team|member|deploy_key|branch_protection|ruleset|webhook)(?:_|$)/;

export const privilege: Finder = (call) => {
  const { protocol, capability, word } = call;
  if (capability === 'read') return undefined;
  if (protocol === 'sql') {
    return call.parameters.rights === true && word !== 'revoke' && word !== 'drop'
      ? heavy(`${word} rights on ${call.target || 'the database'}`)
      : undefined;
  }
  if (protocol === 'http') return undefined;
  const path = pathsOf(call).find((each) => isFileOfKind(each, pipelines) || isFileOfKind(each, rights));
  // Deleting a build file does not grant rights.
  if (path !== undefined && capability !== 'delete') return heavy(isFileOfKind(path, pipelines) ? 'CI files' : path);
  return protocol === 'shell' ? byCommand(call) : iamWords.test(word) ? heavy(word) : undefined;
};

function byCommand(call: Call): SignalMatch | undefined {
  const [, ...rest] = commandWords(call);
  const { word } = call;
  if (isOfKind(word, becoming))
    return { kind: 'sudo', object: `${word} ${rest.find((each) => !each.startsWith('-')) ?? ''}`.trim() };
  if (word === 'chmod' && setsUserIds(call)) return heavy('set-uid');
  if (isOfKind(word, granting, passwords) && !(word === 'crontab' && rest[0] === '-l')) return heavy(word);
  const operation = riskyOperation(call, 'rights');
  return operation === undefined ? undefined : heavy(operation);
}

/** Searches the call's original text, since the effect reader treats the mode as plain text. */
const setsUserIds = ({ source }: Call): boolean =>
  [...source.matchAll(/\bchmod\b([^;|&\n]*)/g)].some(([, rest = '']) =>
    rest.split(/[\s"',\]]+/).some((each) => setsUserId.test(each)),
  );

const heavy = (object: string): SignalMatch => ({ kind: 'privilege', object });
