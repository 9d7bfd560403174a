/** Runs the shell blocks of a documentation page against a gateway and compares the output. */
import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { isMap, parse, parseDocument } from 'yaml';
import type { LocalKeys } from '../../adapters/local/keys-file.ts';
import { type Gateway, startGateway } from './gateway.ts';
import type { Step } from './shell-blocks.ts';
import { runWarm } from './warm-agentctl.ts';

export interface Ran {
  readonly code: number;
  /** Standard output and standard error, interleaved. */
  readonly text: string;
}

const root = resolve(__dirname, '../..');

type Checkout = Awaited<ReturnType<typeof startCheckout>>;

/** Creates a folder that looks like a checkout, and starts the gateway in it. */
export async function startCheckout() {
  const folder = mkdtempSync(join(tmpdir(), 'documented-'));
  for (const name of ['config', 'policies', 'plugins'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const script = (name: string, text: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  for (const place of ['../agentctl', 'agentctl']) script(place, `exec '${join(root, 'agentctl')}' "$@"`);
  script('curl', `PATH='${process.env.PATH}' exec curl --silent --show-error --fail-with-body "$@"`);
  const gateway = await startGateway({ config: join(folder, 'config/gateway.yaml'), state: join(folder, '.gateway') });
  const stop = async () => {
    await gateway.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { folder, gateway, stop };
}

/** The commands of one page, with the variables of its reader's shell. */
export class DocumentedRun {
  readonly folder: string;
  readonly gateway: Gateway;
  /** Ids and addresses printed on the page, and their values in this run. */
  readonly #known = new Map<string, string>();
  /** Values of `<envelope_id>` and `<id>` on the page: the ids printed last. */
  readonly #placeholders = new Map<string, string>();
  readonly #ends: (() => Promise<void>)[] = [];
  /** Assignments from earlier blocks, which a reader's shell keeps. */
  #assigned = '';

  /** @param keys variables for keys of the local run. */
  constructor({ folder, gateway }: Checkout, keys: Readonly<Record<string, keyof LocalKeys>>) {
    this.folder = folder;
    this.gateway = gateway;
    const { gateway_url, admin_url, mcp_url, edge_url } = gateway.ready;
    for (const [port, url] of Object.entries({ 8080: gateway_url, 8081: admin_url, 8082: mcp_url, 8443: edge_url })) {
      const { protocol, port: own } = new URL(url!);
      this.#known.set(`${protocol}//127.0.0.1:${port}`, `${protocol}//127.0.0.1:${own}`);
    }
    this.#assigned += `ADMIN_URL='${admin_url}'\n`;
    for (const [name, role] of Object.entries(keys)) this.#assigned += `${name}='${gateway.keys[role]}'\n`;
  }

  async run({ command }: Step): Promise<Ran> {
    const line = this.#here(command);
    const assignment = /^(?:export )?[A-Z_]+=\S+$|^[A-Z_]+=\$\(.*\)$/.test(command);
    const ran = await (alone.test(line) ? this.#agentctl(line) : bash(`${this.#assigned}${line}\n`, this.folder));
    if (assignment) this.#assigned += `${line}\n`;
    for (const [, name = '', value = ''] of ran.text.matchAll(/^(envelope_id|id): (\S+)$/gm))
      this.#placeholders.set(`<${name}>`, value);
    return ran;
  }

  /**
   * Runs a command line in a process that has loaded `agentctl`, with words and variables expanded as the shell would
   * expand them.
   */
  async #agentctl(line: string): Promise<Ran> {
    const { text } = await bash(`${this.#assigned}env -0; printf '\\0%s' ${line}`, this.folder);
    const [variables = '', words = ''] = text.split(/\0\0(.*)/s, 2);
    const env = Object.fromEntries(variables.split('\0').map((each) => each.split(/=(.*)/s, 2)));
    const { code, out } = await runWarm({ args: words.split('\0').slice(1), env, cwd: this.folder, together: true });
    return { code, text: out };
  }

  /**
   * @returns the expected text as a pattern, if the output differs. Ids on the page are then mapped to those of this
   * run. Commands that report on traffic are repeated for some time, since their totals lag behind the calls.
   */
  async mismatch(step: Step & { readonly output?: string | undefined }, { text }: Ran): Promise<string | undefined> {
    const pattern = this.#patternOf(step.output ?? '');
    const until = Date.now() + 30_000;
    let shown = text;
    for (;;) {
      const found = new RegExp(`^${pattern.source}`, 'm').exec(shown);
      for (const [index, printed] of pattern.printed.entries()) if (found) this.#known.set(printed, found[index + 1]!);
      if (found) return undefined;
      if (!/agentctl (?:requests|violations|usage|budgets|providers)\b/.test(step.command) || Date.now() > until)
        return pattern.source;
      shown = (await this.run(step)).text;
    }
  }

  /** @throws Error with the output if it fails. */
  async shell(command: string): Promise<void> {
    const { code, text } = await this.run({ line: 0, command, output: undefined });
    if (code !== 0) throw new Error(`${command} ended with ${code}:\n${text}`);
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8');
  }

  #here(command: string): string {
    let here = command;
    for (const [printed, own] of [...this.#known, ...this.#placeholders]) here = here.replaceAll(printed, own);
    return here;
  }

  /**
   * Builds a pattern for output. Times, digests, durations and amounts of time differ from run to run; `…` matches any
   * text, or any lines if it is alone on a line.
   */
  #patternOf(output: string): { readonly source: string; readonly printed: readonly string[] } {
    const printed: string[] = [];
    const part = (token: string): string => {
      if (token === '…') return '.*?';
      if (token === '<envelope_id>') return uuid;
      if (isUuid.test(token)) {
        const known = this.#known.get(token);
        if (known !== undefined) return RegExp.escape(known);
        const at = printed.indexOf(token);
        if (at >= 0) return `\\${at + 1}`;
        printed.push(token);
        return `(${uuid})`;
      }
      if (/^\d{4}-/.test(token)) return '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z';
      if (/^[0-9a-f-]{6,}$/.test(token)) return '[0-9a-f-]+';
      if (/^\d+(?:\.\d+)? (?:ms|min|s)$/.test(token)) return '[\\d.]+ \\w+';
      return RegExp.escape(this.#known.get(token) ?? token).replaceAll(/(?: |\\x20)+/g, ' +');
    };
    const lines = output.trimEnd().split('\n');
    const source = lines.map((line) =>
      line.trim() === '…'
        ? '(?:.*\n)*?'
        : `${line
            .split(tokens)
            .filter((token) => token !== undefined && token !== '')
            .map(part)
            .join('')} *(?:\n|$)`,
    );
    return { source: source.join(''), printed };
  }

  /**
   * Adds the members of a YAML text to the configuration file, as a page tells its reader to do, and waits until they
   * are in force.
   */
  async configure(yaml: string): Promise<void> {
    const file = join(this.folder, 'config/gateway.yaml');
    const document = parseDocument(readFileSync(file, 'utf8'));
    for (const [name, value] of Object.entries(parse(yaml) as Record<string, unknown>)) {
      const before = document.get(name);
      const merged = isMap(before) ? { ...(before.toJS(document) as object), ...(value as object) } : value;
      document.set(name, document.createNode(merged));
    }
    const imported = /configuration imported/g;
    const times = this.gateway.log().match(imported)?.length ?? 0;
    writeFileSync(file, document.toString());
    const until = Date.now() + 60_000;
    while ((this.gateway.log().match(imported)?.length ?? 0) === times) {
      if (Date.now() > until) throw new Error(`The configuration was not imported:\n${this.gateway.log()}`);
      await new Promise((next) => setTimeout(next, 100));
    }
  }

  /** Registers a cleanup for something that a page's preparation started. */
  atEnd(end: () => Promise<void>): void {
    this.#ends.push(end);
  }

  async end(): Promise<void> {
    for (const end of this.#ends) await end();
  }
}

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const isUuid = new RegExp(`^${uuid}$`);
const tokens = new RegExp(
  `(${uuid}|<envelope_id>|\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z|https?://127\\.0\\.0\\.1:\\d+|\\b(?=[a-f-]*\\d)[0-9a-f]{6,}[0-9a-f-]*|\\d+(?:\\.\\d+)? (?:ms|min|s)\\b|…)`,
);

/** Pattern for an agentctl command without other programs, redirections or substitutions. */
const alone = /^(?:\.\/)?agentctl (?:[^|<>;&`(\n]|(?<=\\)\n)*$/;

const bash = (script: string, cwd: string): Promise<Ran> =>
  new Promise((done) => {
    const env = {
      ...process.env,
      HOME: cwd,
      PATH: `${join(cwd, 'bin')}${delimiter}${process.env.PATH}`,
      NODE_OPTIONS: '',
    };
    execFile('bash', ['-c', `exec 2>&1\n${script}`], { cwd, env, timeout: 120_000 }, (fault, stdout) => {
      done({ code: fault ? (typeof fault.code === 'number' ? fault.code : 255) : 0, text: stdout });
    });
  });
