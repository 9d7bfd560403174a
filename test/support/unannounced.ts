/** For projectors whose violations no webhook takes. */
export const unannounced = async (): Promise<void> => {};
