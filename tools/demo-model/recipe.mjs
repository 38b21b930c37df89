// The phases of the training, in order: each goes on from the one before. Flags are train.py's;
// `fromFile`: from the exported file of the phase before, so rounded to Q8_0 and without the optimizers' momentum;
// `averagedWith`: from halfway between that phase and the one before.

export const recipe = [
  { name: 'trained', flags: ['--phase', 'late', '--lr', '0.8', '--steps', '1600'] },
  {
    name: 'settled',
    flags: ['--phase', 'last', '--lr', '0.8', '--copy-gain', '1.4', '--steps', '1501', '--decay-to', '0.464'],
  },
  { name: 'varied', flags: ['--phase', 'varied', '--lr', '0.8', '--steps', '1300'] },
  { name: 'finished', flags: ['--phase', 'varied', '--lr', '0.8', '--steps', '1600', '--decay-to', '0'] },
  { name: 'crowded', fromFile: true, flags: ['--phase', 'crowded', '--lr', '0.8', '--steps', '558'] },
  { name: 'crowded-2', flags: ['--phase', 'crowded', '--lr', '0.8', '--steps', '1400'] },
  { name: 'crowded-3', flags: ['--phase', 'crowded', '--lr', '0.8', '--steps', '1300'] },
  { name: 'crowded-finished', flags: ['--phase', 'crowded', '--lr', '0.8', '--steps', '2400', '--decay-to', '0'] },
  { name: 'ending', flags: ['--phase', 'ending', '--lr', '0.8', '--steps', '2600', '--decay-to', '0'] },
  {
    name: 'polished',
    averagedWith: 'crowded-finished',
    flags: ['--phase', 'ending', '--lr', '0.15', '--steps', '360', '--decay-to', '0'],
  },
];
