/** HTTP limits: hosts and methods. */
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { type Check, lastName, matchesName, textParameter } from './rule.ts';

export const checkHttp: Check = ({ http }, part) => {
  const host = textParameter(part, 'host');
  const port = textParameter(part, 'port');
  const spellings = port === '' ? [host] : [host, `${host}:${port}`];
  if (host !== '' && matchesName(http.blocked_hosts, spellings))
    return { rule: 'http.blocked_hosts', reason: `The host ${host} is blocked.` };
  if (http.allowed_hosts && (host === '' || !matchesName(http.allowed_hosts, spellings))) {
    return {
      rule: 'http.allowed_hosts',
      reason:
        host === '' ? 'The host of the call cannot be determined.' : `The host ${host} is not among those allowed.`,
    };
  }
  const method = (textParameter(part, 'method') || lastName(foldCase(part.tool))).toUpperCase();
  if (http.allowed_methods && !http.allowed_methods.some((allowed) => allowed.toUpperCase() === method))
    return { rule: 'http.allowed_methods', reason: `The method ${method} is not among those allowed.` };
  return undefined;
};
