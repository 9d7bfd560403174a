/** Files that hold keys and credentials, by a part of their path in lower case. */
const parts = [
  ...[
    '.ssh/id_',
    'id_rsa',
    'id_ed25519',
    '.aws/credentials',
    'mcp.json',
    '/etc/passwd',
    '/etc/shadow',
    '.netrc',
    '.npmrc',
  ],
  ...[
    '.kube/config',
    '.git-credentials',
    'wallet.dat',
    '.docker/config',
    'credentials.json',
    '.pgpass',
    '.bash_history',
  ],
  ...['.gnupg/', '/proc/self/environ', 'login.keychain', '.config/gcloud'],
];
const envFile = /(?:^|[/\\])\.env(?:\.local|\.production)?$/;

/** Each of the parts has one: most words of a page, such as `/title`, do not. */
const mayBePart = /[._]|.\//;

/** @param path in lower case. Public halves of keys are none. */
export const isSecretPath = (path: string): boolean =>
  mayBePart.test(path) && !path.endsWith('.pub') && (parts.some((part) => path.includes(part)) || envFile.test(path));
