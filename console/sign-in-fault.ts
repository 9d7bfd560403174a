/**
 * Explanations of why a key was not accepted and what to do next, for a person at the sign-in form [console.sign-in].
 */
import { ApiError, faultText } from './api.ts';

export function signInFault(cause: unknown): string {
  const { status, type } = cause instanceof ApiError ? cause : {};
  if (type === 'unreachable') return 'The gateway does not answer. Check that it is running, then try again.';
  if (status === 401)
    return 'The gateway does not know this key. Check that you pasted the whole key, and that it is still valid.';
  if (status === 429) return 'Too many attempts. Wait a minute, then try again.';
  return faultText(cause);
}
