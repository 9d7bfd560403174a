/** The commands and the YAML that a documentation page shows. */

export interface Step {
  readonly line: number;
  readonly command: string;
  /** Undefined if the page shows no output. */
  readonly output: string | undefined;
}

/**
 * Returns the steps in a page's `sh`, `bash`, `shell` and `console` blocks. In `console`, each line after a `$` is one
 * command with its output.
 */
export function stepsOf(markdown: string): Step[] {
  const steps: Step[] = [];
  let kind: string | undefined;
  let indent = 0;
  let block: { line: number; text: string }[] = [];
  for (const [index, raw] of markdown.split('\n').entries()) {
    const fence = /^( *)```(\w*)/.exec(raw);
    if (fence && kind === undefined) {
      [indent, kind, block] = [fence[1]!.length, fence[2]!, []];
    } else if (fence) {
      if (kind === 'sh' || kind === 'bash' || kind === 'shell') steps.push(...scriptOf(block));
      if (kind === 'console') steps.push(...sessionOf(block));
      kind = undefined;
    } else if (kind !== undefined) block.push({ line: index + 1, text: raw.slice(indent) });
  }
  return steps;
}

type Block = readonly { readonly line: number; readonly text: string }[];

/**
 * Splits a block into commands. A command ends at a line that neither ends in a backslash nor leaves a quote or a loop
 * open.
 */
function scriptOf(block: Block): Step[] {
  const steps: Step[] = [];
  let open: { line: number; command: string } | undefined;
  for (const { line, text } of block) {
    open = open ? { ...open, command: `${open.command}\n${text}` } : { line, command: text };
    if (text.trim() === '' && open.command.trim() === '') open = undefined;
    else if (isWhole(open.command)) {
      steps.push({ ...open, output: undefined });
      open = undefined;
    }
  }
  return steps;
}

function isWhole(text: string): boolean {
  const command = text.replaceAll(/(^|\s)#.*$/gm, '');
  return (
    !command.endsWith('\\') &&
    command.replaceAll(/\\./g, '').split("'").length % 2 === 1 &&
    /\bdo$/m.test(command) === /^done\b/m.test(command)
  );
}

function sessionOf(block: Block): Step[] {
  const steps: { line: number; command: string; output: string }[] = [];
  let continued = false;
  for (const { line, text } of block) {
    const last = steps.at(-1);
    if (text.startsWith('$ ')) steps.push({ line, command: text.slice(2), output: '' });
    else if (last && continued) last.command += `\n${text}`;
    else if (last) last.output += `${text}\n`;
    continued = text.endsWith('\\') && (text.startsWith('$ ') || continued);
  }
  return steps.map(({ output, ...step }) => ({ ...step, output: output === '' ? undefined : output }));
}

/** Returns the YAML blocks of a page. */
export const yamlOf = (markdown: string): string[] =>
  [...markdown.matchAll(/^( *)```ya?ml\n([\s\S]*?)^ *```/gm)].map(([, indent = '', text = '']) =>
    text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
