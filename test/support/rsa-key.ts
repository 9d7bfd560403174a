/**
 * One RSA key for all test files of a worker, made when a test first signs. It is created outside Jest's sandbox, so
 * that the worker keeps it.
 */
import { generateKeyPairSync } from 'node:crypto';

let made: string | undefined;

export function rsaKey(): string {
  made ??= generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ format: 'pem', type: 'pkcs8' })
    .toString();
  return made;
}
