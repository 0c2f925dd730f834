/** Imports a package that is installed in this folder; rejects when it is not. */
export const loadPeer = (name: string): Promise<unknown> => import(name);
