/**
 * Objects without inherited members, for names that callers choose: `__proto__` is a name like any other. V8 keeps the
 * members of `Object.create(null)` in a hash table, whose listing and copying costs several times as much.
 */
class BareObject {}
delete (BareObject.prototype as { constructor?: unknown }).constructor;
Object.setPrototypeOf(BareObject.prototype, null);

export const bareObject = <T>(): Record<string, T> => new BareObject() as Record<string, T>;
