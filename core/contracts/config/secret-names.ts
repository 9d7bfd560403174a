/**
 * Secret names that a configuration may use, kept apart from the schemas so that functions need not load the schema
 * library.
 */

/**
 * Environment variables of the gateway process. Without this list, an administrator could make the gateway send its
 * cloud credentials to any address.
 */
const ownPrefixes = [
  'AWS_',
  'LAMBDA_',
  'NODE_',
  'NPM_',
  'LD_',
  'DYLD_',
  'BASH_',
  'GIT_',
  'SSH_',
  'TABLE_',
  'SECRET_',
].concat(['POWERTOOLS_', 'KUBERNETES_']);
const ownNames = ['PATH', 'HOME', 'USER', 'SHELL', 'PWD', 'TMPDIR', 'LANG', 'TZ', 'HOSTNAME'];
const isOwn = (name: string): boolean =>
  ownNames.includes(name) || ownPrefixes.some((prefix) => name.startsWith(prefix));
/** Description of the allowed names. It lists all reserved names, so that the error message is complete. */
export const nameOfYourOwn = `a name of your own: not ${ownNames.join(', ')}, and none that begins with ${ownPrefixes.join(', ')}`;
export const environmentPattern = /^[A-Z][A-Z0-9_]{0,127}$/;

/** Checks whether a secret may be read from this environment variable. */
export const isSecretName = (name: string): boolean => environmentPattern.test(name) && !isOwn(name);

/** Default name of the admin token. */
export const defaultAdminTokenName = 'GATEWAY_ADMIN_TOKEN';

/** Default name of the key for capability tickets. */
export const defaultTicketKeyName = 'GATEWAY_TICKET_KEY';
