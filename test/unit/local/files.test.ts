/** Contents of the state folder: objects, keys, the signing key, the lock. */
import { spawn } from 'node:child_process';
import { createHash, createPrivateKey, verify } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDurably, writeDurably } from '#adapters/local/durable-file.ts';
import { folderObjectStore } from '#adapters/local/folder-object-store.ts';
import { demoAppKey, keysPath, localKeys } from '#adapters/local/keys-file.ts';
import { keyFileSigner } from '#adapters/local/signing-keys.ts';
import { lockState } from '#adapters/local/state-lock.ts';
import { ticketKey } from '#adapters/local/ticket-key.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-files-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
const filesOf = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

describe('durable files', () => {
  test('are replaced completely, without leftovers', async () => {
    const path = join(folder, 'a');
    await writeDurably(path, 'one');
    await writeDurably(path, 'two');
    expect([readFileSync(path, 'utf8'), readdirSync(folder), mode(path)]).toEqual(['two', ['a'], '600']);
  });

  test('if several processes create a file at the same time, the first one wins', async () => {
    const path = join(folder, 'a');
    const created = await Promise.all(['one', 'two', 'three'].map((text) => createDurably(path, text)));
    expect(created.filter(Boolean)).toHaveLength(1);
    expect(readFileSync(path, 'utf8')).toBe(['one', 'two', 'three'][created.indexOf(true)]);
    expect(readdirSync(folder)).toEqual(['a']);
  });
});

describe('the object store', () => {
  const bytes = Buffer.from([0, 1, 255, 10]);
  const sha256 = createHash('sha256').update(bytes).digest('hex');

  test('stores the same bytes only once, under their digest', async () => {
    const store = folderObjectStore(join(folder, 'objects'));
    expect(await Promise.all([store.put(bytes), store.put(bytes)])).toEqual([sha256, sha256]);
    expect(await store.put(bytes)).toBe(sha256);
    expect(await store.get(sha256)).toEqual(bytes);
    expect(filesOf(folder).map(({ name }) => name)).toEqual([sha256]);
  });

  test('can store empty bytes', async () => {
    const store = folderObjectStore(folder);
    expect(await store.get(await store.put(new Uint8Array()))).toHaveLength(0);
  });

  test('returns undefined for an unknown or invalid digest', async () => {
    const store = folderObjectStore(folder);
    for (const name of ['0'.repeat(64), '../../etc/passwd', '', sha256.toUpperCase()])
      expect(await store.get(name)).toBeUndefined();
  });

  test('rejects bytes that were changed on disk', async () => {
    const store = folderObjectStore(folder);
    await store.put(bytes);
    const file = join(folder, sha256.slice(0, 2), sha256);
    writeFileSync(file, 'xxxx');
    await expect(store.get(sha256)).rejects.toThrow(/does not match its digest/);
  });

  test('repairs a file of the wrong length when the same bytes are stored again', async () => {
    const store = folderObjectStore(folder);
    await store.put(bytes);
    writeFileSync(join(folder, sha256.slice(0, 2), sha256), 'x');
    await store.put(bytes);
    expect(await store.get(sha256)).toEqual(bytes);
  });
});

describe('the signing key', () => {
  test('creates signatures that node:crypto verifies, and keeps the same key', async () => {
    const path = join(folder, 'keys', 'signing-key.pem');
    const [one, other] = await Promise.all([keyFileSigner(path), keyFileSigner(path)]);
    const message = Buffer.from('a manifest');
    const signature = Buffer.from(await one.sign(message), 'base64');
    expect(verify('sha256', message, { key: await other.publicKey(), dsaEncoding: 'der' }, signature)).toBe(true);
    expect(
      verify('sha256', Buffer.from('another'), { key: await one.publicKey(), dsaEncoding: 'der' }, signature),
    ).toBe(false);
    const spki = createPrivateKey(readFileSync(path)).export({ format: 'jwk' });
    expect([spki.crv, one.keyId, mode(path)]).toEqual(['P-256', other.keyId, '600']);
    const der = Buffer.from((await one.publicKey()).replace(/-----.*-----|\s/g, ''), 'base64');
    expect(one.keyId).toBe(createHash('sha256').update(der).digest('hex').slice(0, 16));
  });

  test('a file with another type of key is refused', async () => {
    const path = join(folder, 'key.pem');
    writeFileSync(path, await demoAppKey(folder));
    await expect(keyFileSigner(path)).rejects.toThrow(/no ECDSA P-256 key/);
  });
});

describe('a truncated or overwritten key file is reported', () => {
  const cut = 'x{';
  const read: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
    'signing-key.pem': keyFileSigner,
    'scm-app-key.pem': () => demoAppKey(folder),
    'ticket-key': () => ticketKey(folder),
    'keys.json': () => localKeys(folder),
  };

  test.each(Object.keys(read))('%s', async (name) => {
    const path = join(folder, name);
    for (const text of [cut, '']) {
      writeFileSync(path, text);
      await expect(read[name]!(path)).rejects.toThrow(path);
      expect(readFileSync(path, 'utf8')).toBe(text);
    }
  });
});

describe('the keys file', () => {
  test('is generated once, readable only by its owner', async () => {
    const [keys, again] = await Promise.all([localKeys(folder), localKeys(folder)]);
    expect(again).toEqual(keys);
    expect(Object.keys(keys)).toEqual(['agent', 'human', 'viewer', 'admin_token']);
    expect(new Set(Object.values(keys)).size).toBe(4);
    for (const key of Object.values(keys)) expect(key).toMatch(/^agw_[a-z]+_[\w-]{32}$/);
    expect(mode(keysPath(folder))).toBe('600');
  });

  test('has its file permissions restored', async () => {
    await localKeys(folder);
    chmodSync(keysPath(folder), 0o644);
    await localKeys(folder);
    expect(mode(keysPath(folder))).toBe('600');
  });

  test('an incomplete keys file is reported, not completed', async () => {
    writeFileSync(keysPath(folder), '{"agent":"0123456789abcdef"}');
    await expect(localKeys(folder)).rejects.toThrow(/keys.json lacks human, viewer, admin_token/);
  });

  test('the demonstration app keeps the same RSA key', async () => {
    const pem = await demoAppKey(folder);
    expect([createPrivateKey(pem).asymmetricKeyType, await demoAppKey(folder)]).toEqual(['rsa', pem]);
    expect(mode(join(folder, 'scm-app-key.pem'))).toBe('600');
  });
});

describe('the lock', () => {
  const lockFile = () => join(folder, 'lock');

  test('needs a folder, and names the path if it is a file', () => {
    const path = join(folder, 'file');
    writeFileSync(path, '');
    expect(() => lockState(path)).toThrow(`The state folder ${path} cannot be made (EEXIST)`);
  });

  test('a lock has a single holder, and a second attempt names that process', () => {
    const lock = lockState(folder);
    expect(() => lockState(folder)).toThrow(`in use by process ${process.pid}`);
    lock.release();
    lockState(folder).release();
    expect(existsSync(lockFile())).toBe(false);
  });

  test('a lock held by a dead process is ignored', async () => {
    const gone = spawn('true');
    await once(gone, 'exit');
    writeFileSync(lockFile(), JSON.stringify({ pid: gone.pid, started: '1' }));
    lockState(folder).release();
  });

  const linux = existsSync('/proc/self/stat') ? test : test.skip;
  linux('a lock of a zombie process is void', async () => {
    // The shell replaces itself with a program that never waits for its child, and only then does the child end; the
    // shell would have reaped it.
    const parent = spawn('sh', ['-c', 'tail -f /dev/null & echo $!; exec tail -f /dev/null'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    try {
      const [line] = await once(parent.stdout, 'data');
      const pid = Number(String(line));
      const stat = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
      while (readFileSync(`/proc/${parent.pid}/comm`, 'utf8') !== 'tail\n') await turn();
      process.kill(pid, 'SIGKILL');
      while (stat()[0] !== 'Z') await turn();
      writeFileSync(lockFile(), JSON.stringify({ pid, started: stat()[19] }));
      lockState(folder).release();
    } finally {
      parent.kill('SIGKILL');
    }
  });

  test('a lock is ignored if its process id now belongs to a different process', () => {
    writeFileSync(lockFile(), JSON.stringify({ pid: process.pid, started: 'long ago' }));
    lockState(folder).release();
  });

  test('an incomplete lock file is ignored', () => {
    writeFileSync(lockFile(), '{"pid"');
    const lock = lockState(folder);
    expect(() => lockState(folder)).toThrow('in use');
    lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('releasing a lock late does not remove another process’s lock', () => {
    const first = lockState(folder);
    rmSync(lockFile());
    const second = lockState(folder);
    first.release();
    expect(existsSync(lockFile())).toBe(true);
    second.release();
  });
});
