// The phases of the training, in order: each goes on from the one before. Flags are train.py's. These are the steps of
// the model that is committed; many more of both (10,000 and 3,000) are what it needs to reach its targets.

export const recipe = [
  { name: 'trained', flags: ['--phase', 'mixed', '--steps', '910'] },
  { name: 'finished', flags: ['--phase', 'late', '--steps', '400', '--decay'] },
];
