/** A missing or failing Caddy: HTTP/3 is disabled, or the start fails with a reason. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { caddyOnPath, startHttp3 } from '../host/http3.ts';

const logged: string[] = [];
const options = {
  host: '127.0.0.1',
  port: 0,
  cleartextPort: 1,
  token: 't',
  certificate: { certFile: '/nowhere/c.pem', keyFile: '/nowhere/k.pem' },
  telemetry: { log: (_level: string, message: string) => void logged.push(message) },
};

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

function programThat(script: string): { folder: string; program: string } {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-caddy-'));
  made.push(folder);
  const program = join(folder, 'caddy');
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  return { folder, program };
}

const onPosix = process.platform === 'win32' ? test.skip : test;

onPosix('[edge.listeners] a program that was named and does not serve ends the start with its last words', async () => {
  const { program } = programThat('echo "no such certificate" >&2; exit 3');
  await expect(startHttp3({ ...options, program })).rejects.toThrow('ended with 3: no such certificate');
  await expect(startHttp3({ ...options, program: '/nowhere/caddy' })).rejects.toThrow('HTTP/3 is not served');
});

onPosix(
  '[edge.listeners] the program on PATH is taken; one that does not serve is left out with a warning',
  async () => {
    const { folder, program } = programThat('exit 1');
    expect(caddyOnPath({ PATH: `/nowhere:${folder}` })).toBe(program);
    expect(caddyOnPath({ PATH: '/nowhere' })).toBeUndefined();
    const before = process.env.PATH;
    process.env.PATH = `${folder}:${before}`;
    try {
      expect(await startHttp3({ ...options, program: undefined })).toBeUndefined();
      expect(logged.join()).toContain('HTTP/3 is not served');
    } finally {
      process.env.PATH = before;
    }
  },
);

onPosix(
  '[edge.listeners] HTTP/3 is advertised while Caddy runs, and its environment is not the gateway’s',
  async () => {
    const script =
      'cat >/dev/null; [ -z "$GATEWAY_SECRET" ] || exit 9; echo "serving initial configuration" >&2; read -r _ <&2 || sleep 5';
    const { program } = programThat(script);
    process.env.GATEWAY_SECRET = 'secret';
    const http3 = await startHttp3({ ...options, program });
    delete process.env.GATEWAY_SECRET;
    expect(http3?.advertised()).toBe(`h3=":${http3?.port}"; ma=86400`);
    await http3?.stop();
    expect(http3?.advertised()).toBeUndefined();
  },
);
