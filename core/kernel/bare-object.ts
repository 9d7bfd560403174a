/**
 * Objects without inherited members, for names chosen by callers, so that `__proto__` is a name like any other. V8
 * keeps the members of `Object.create(null)` in a hash table, which is several times as expensive to list and copy.
 */
class BareObject {}
delete (BareObject.prototype as { constructor?: unknown }).constructor;
Object.setPrototypeOf(BareObject.prototype, null);

export const bareObject = <T>(): Record<string, T> => new BareObject() as Record<string, T>;
