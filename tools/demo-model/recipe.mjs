// The phases of the training, in order: each goes on from the one before. Flags are train.py's. These are the steps of
// the model that is committed. Its targets need more, how much is not known: it stopped while scores rose fast.

export const recipe = [
  { name: 'trained', flags: ['--phase', 'mixed', '--steps', '905'] },
  { name: 'finished', flags: ['--phase', 'late', '--steps', '400', '--decay'] },
];
