/** The tools of a server as they were listed last, by conversation: a server may offer other tools to other clients. */
import type { JsonObject } from '#core/kernel/json.ts';

/** A tool as its server listed it, with what this process found of it since. */
export interface ListedTool {
  readonly definition: JsonObject;
  /** Tools of other servers, as `<server>: <tool>`, that it stands in front of; empty until the lists were compared [guard.shadowing]. */
  shadows: readonly string[];
  /** Whether the tool guard holds its change, as the marks said when it was noted. */
  heldChange: boolean;
}

export interface ToolList {
  readonly tools: readonly ListedTool[];
  /** The lists of all servers that it was compared with, itself included. */
  comparedWith?: readonly ToolList[];
}

/** A list that was read or is being read. */
export interface KnownTools {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly list: Promise<ToolList>;
}

export const listed = (definition: JsonObject): ListedTool => ({ definition, shadows: [], heldChange: false });
