/** A server's last tool list, per conversation: a server may offer different tools to different clients. */
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';

/** A listed tool, with this process's findings. */
export interface ListedTool {
  readonly definition: JsonObject;
  /**
   * Tools of other servers that this tool shadows, as `<server>: <tool>`. Empty until the lists have been compared
   * [guard.definitions].
   */
  shadows: readonly string[];
  /** True if the tool guard holds the tool's change, according to the marks. */
  heldChange: boolean;
}

export interface ToolList {
  readonly tools: readonly ListedTool[];
  /** The compared lists of all servers, including this one. */
  comparedWith?: readonly ToolList[];
}

/** A list that has been read, or is being read. */
export interface KnownTools {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly list: Promise<ToolList>;
}

export const asListedTool = (definition: JsonObject): ListedTool => ({ definition, shadows: [], heldChange: false });

/**
 * Returns the definitions that clients can read. Clients refuse a whole list because of one tool whose input is not an
 * object, so that tool is left out; a tool without a schema accepts any object. For the same reason, optional members
 * that are null or of another type are left out, as some servers send them.
 */
export const readableDefinitions = (definitions: readonly JsonObject[]): JsonObject[] =>
  definitions.map(withoutUnreadable).flatMap((definition) => {
    const { inputSchema = null } = definition;
    if (isObject(inputSchema) && inputSchema.type === 'object') return [definition];
    const unstated = inputSchema === null || (isObject(inputSchema) && inputSchema.type === undefined);
    return unstated ? [{ ...definition, inputSchema: { ...inputSchema, type: 'object' } }] : [];
  });

function withoutUnreadable(definition: JsonObject): JsonObject {
  const unreadable = optionalMembers.filter(
    ([name, isReadable]) => definition[name] !== undefined && !isReadable(definition[name]),
  );
  if (unreadable.length === 0) return definition;
  const names = new Set(unreadable.map(([name]) => name));
  return Object.fromEntries(Object.entries(definition).filter(([name]) => !names.has(name)));
}

const isText = (value: Json): boolean => typeof value === 'string';

/** Checks the hints of annotations. Without them, clients assume the worst of a tool. */
const areHints = (value: Json): boolean =>
  isObject(value) &&
  Object.entries(value).every(([name, hint]) =>
    name === 'title' ? isText(hint) : !name.endsWith('Hint') || typeof hint === 'boolean',
  );

const areIcons = (value: Json): boolean =>
  Array.isArray(value) && value.every((icon) => isObject(icon) && typeof icon.src === 'string');

const optionalMembers: readonly (readonly [name: string, isReadable: (value: Json) => boolean])[] = [
  ['title', isText],
  ['description', isText],
  ['annotations', areHints],
  ['outputSchema', isObject],
  ['icons', areIcons],
  ['execution', isObject],
  ['_meta', isObject],
];
