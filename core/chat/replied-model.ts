/** Checks whether a reply comes from the requested model [chat.replied-model]. */

/** Date or version at the end of a name: a snapshot of the same model. */
const snapshot = /[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|\d{4}|00\d|0|latest)$/;

/** Returns the name without vendor, variant, snapshot and Bedrock's version. */
function plainName(model: string): string {
  const name = model.toLowerCase().split('/').at(-1)!;
  return name
    .replace(/^(?:[a-z]+\.)+/, '')
    .replace(/:[a-z0-9]+$/, '')
    .replace(/-v\d+$/, '')
    .replace(snapshot, '');
}

export const isSameModel = (asked: string, replied: string): boolean => plainName(asked) === plainName(replied);
