/** Does nothing. For projectors whose violations go to no webhook. */
export const unannounced = async (): Promise<void> => {};
