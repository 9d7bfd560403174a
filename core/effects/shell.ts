/**
 * Effects of a call with shell text. Its lines are parsed into one call for each effect. Text that cannot be parsed is
 * reported as unclear and never causes an exception.
 */
import type { ToolCall } from '#core/contracts/envelope.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import type { Effect, EffectReader, Effects } from './ports.ts';
import { lineOf } from './shell/carried.ts';
import { Walk } from './shell/walk.ts';
import type { Arg } from './shell/words.ts';

const standsAlone: Effects = { parts: [], carrier: false };

export const shellEffects: EffectReader = (call, programs) => {
  const carried = lineOf(call);
  if (!carried) return standsAlone;
  const walk = new Walk(carried.cwd, { workspace: carried.workspace, programs });
  if (carried.unclear !== undefined) walk.unclear(carried.unclear);
  for (const text of carried.texts) {
    if (typeof text === 'string') walk.readLine(text, carried);
    else walk.readVector(text, carried);
  }
  if (carried.besides !== undefined) walk.unclear(carried.besides);
  if (carried.otherProgram !== undefined) walk.parts.push(programOf(carried.otherProgram, carried.texts));
  const { shown } = walk;
  const reason = walk.reason ?? shown?.why;
  const parts =
    walk.parts.length === 0 && reason === undefined && walk.idling !== undefined ? [idle(walk.idling)] : walk.parts;
  return {
    parts: parts.length === 1 && isItself(call, parts[0]!) ? [] : parts,
    carrier: carried.carrier,
    ...(reason !== undefined && { unclear: reason }),
    ...(reason !== undefined && !isShell(call) && { unreadLines: carried.texts.map(commandText) }),
    ...(walk.reason === undefined && shown && { shows: shown.what }),
  };
};

const isShell = ({ protocol }: ToolCall): boolean => foldCase(protocol).trim() === 'shell';

const commandText = (text: string | readonly Arg[]): string =>
  typeof text === 'string' ? text : text.map((arg) => arg.text).join(' ');

/** Checks whether the call already equals its only effect. A call never names the branches it writes to. */
const isItself = (call: ToolCall, part: Effect): boolean =>
  isShell(call) &&
  part.branches === undefined &&
  call.tool === part.tool &&
  call.target === part.target &&
  call.capability === part.capability &&
  // Only the part contains a description of the command.
  part.parameters.operation === undefined &&
  Object.keys(call.parameters).length === 0;

/** Returns the effect of text that another program will run. */
const programOf = (program: string, texts: readonly (string | readonly Arg[])[]): ToolCall => ({
  protocol: 'shell',
  tool: `shell.${program}`,
  target: texts.map(commandText).join('\n'),
  capability: 'execute',
  parameters: {},
});

/** Returns the effect of a line that does nothing, such as `true`. */
const idle = (binary: string): ToolCall => ({
  protocol: 'shell',
  tool: `shell.${binary}`,
  target: '',
  capability: 'read',
  parameters: { argv: [binary] },
});
