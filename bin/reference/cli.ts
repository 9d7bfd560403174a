import { main as agentctl } from '../agentctl/program.ts';
import { origin } from './markdown.ts';

export async function cliPage(): Promise<string> {
  const pages: string[] = [];
  await describe([], pages);
  return `# agentctl

${origin('`agentctl --help`')}
${pages.join('\n')}`;
}

/** Matches the global options, which the page shows once, at the top. */
const everywhere = /^Options of every command:\n(?: .*\n)+\n?/m;

async function describe(words: readonly string[], pages: string[]): Promise<void> {
  const full = await captureOutput([...words, '--help']);
  const help = words.length === 0 ? full : full.replace(everywhere, '');
  pages.push(
    `${'#'.repeat(words.length + 2)} ${['agentctl', ...words].join(' ')}\n\n\`\`\`text\n${help.trim()}\n\`\`\`\n`,
  );
  for (const name of subcommands(help)) await describe([...words, name], pages);
}

/** Returns the names in a help text's `Commands:` list; the continuation of a wrapped summary is indented deeper. */
function subcommands(help: string): string[] {
  const list = help.split(/^Commands:\n/m)[1]?.split(/\n\n/)[0] ?? '';
  return [...list.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name]) => name!).filter((name) => name !== 'help');
}

/** Returns the output of a command line at page width. */
async function captureOutput(argv: readonly string[]): Promise<string> {
  const { stdout } = process;
  const { write, isTTY } = stdout;
  let text = '';
  stdout.setMaxListeners(0);
  process.stderr.setMaxListeners(0);
  stdout.isTTY = false;
  stdout.write = ((chunk: string | Uint8Array) => {
    text += String(chunk);
    return true;
  }) as typeof stdout.write;
  try {
    await agentctl(argv);
  } finally {
    stdout.write = write;
    stdout.isTTY = isTTY;
  }
  return text.replaceAll(/[ \t]+$/gm, '');
}
