export async function benchEngine(_path: string, _threads: number, _reps: number): Promise<unknown[]> {
  return [];
}
