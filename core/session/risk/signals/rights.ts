/**
 * Finds the acquisition of privileges: root, set-uid, accounts, IAM, database roles, and files that run with other
 * users' rights.
 */
import { type Call, commandWords, type Finder, pathsOf, riskyOperation, type SignalMatch } from './call.ts';

/**
 * Files that a build server runs with its own rights. Only whole names match: `special` and `.github/workflows.md` do
 * not.
 */
const ciFile =
  /(?:^|\/)(?:\.github\/(?:workflows\/[^/]+\.ya?ml|actions\/.+)|\.gitlab-ci\.ya?ml|Jenkinsfile|\.circleci\/config\.ya?ml|\.travis\.ya?ml|azure-pipelines\.ya?ml|bitbucket-pipelines\.ya?ml|\.drone\.ya?ml|\.buildkite\/[^/]+\.ya?ml|buildspec\.ya?ml|cloudbuild\.ya?ml)$/;
/** Files that grant rights, or that run as another user. */
const rightsFile =
  /^(?:\/etc\/(?:sudoers|sudoers\.d\/.+|passwd|shadow|group|pam\.d\/.+|crontab|cron\.[a-z]+\/.+|ld\.so\.preload|systemd\/system\/.+|ssh\/sshd_config)|\/var\/spool\/cron\/.+|(?:.*\/)?\.ssh\/authorized_keys)$/;

const setsUserId = /^(?:[ugoa]*[ugoa]?\+[rwxX]*s[rwxXst]*|[ugo]+=[rwx]*s[rwx]*|0?[4567][0-7]{3})$/;
const accounts = new Set([
  'useradd',
  'adduser',
  'usermod',
  'groupmod',
  'gpasswd',
  'passwd',
  'chpasswd',
  'visudo',
  'crontab',
  'setcap',
  'insmod',
  'modprobe',
  'nsenter',
]);
const become = new Set(['sudo', 'su', 'doas', 'pkexec', 'runuser']);
const iamWords =
  /^(?:attach|put|create|update|add|set|pass)_(?:role|user|group|policy|access_key|login_profile|assume_role_policy|iam|bucket_policy|permission|collaborator|team|member|deploy_key|branch_protection|ruleset|webhook)(?:_|$)/;

export const privilege: Finder = (call) => {
  const { protocol, capability, word } = call;
  if (capability === 'read') return undefined;
  if (protocol === 'sql') {
    const { rights } = call.parameters;
    return rights === true && word !== 'revoke' && word !== 'drop'
      ? heavy(`${word} rights on ${call.target || 'the database'}`)
      : undefined;
  }
  if (protocol === 'http') return undefined;
  const path = pathsOf(call).find((each) => ciFile.test(each) || rightsFile.test(each));
  // Deleting a build file does not grant rights.
  if (path !== undefined && capability !== 'delete') return heavy(ciFile.test(path) ? 'CI files' : path);
  return protocol === 'shell' ? byCommand(call) : iamWords.test(word) ? heavy(word) : undefined;
};

function byCommand(call: Call): SignalMatch | undefined {
  const [, ...rest] = commandWords(call);
  const { word } = call;
  if (become.has(word))
    return { kind: 'sudo', object: `${word} ${rest.find((each) => !each.startsWith('-')) ?? ''}`.trim() };
  if (word === 'chmod' && setsUserIds(call)) return heavy('set-uid');
  if (accounts.has(word) && !(word === 'crontab' && rest[0] === '-l')) return heavy(word);
  const operation = riskyOperation(call, 'rights');
  return operation === undefined ? undefined : heavy(operation);
}

/** Searches the call's original text, since the effect reader treats the mode as plain text. */
const setsUserIds = ({ source }: Call): boolean =>
  [...source.matchAll(/\bchmod\b([^;|&\n]*)/g)].some(([, rest = '']) =>
    rest.split(/[\s"',\]]+/).some((each) => setsUserId.test(each)),
  );

const heavy = (object: string): SignalMatch => ({ kind: 'privilege', object });
