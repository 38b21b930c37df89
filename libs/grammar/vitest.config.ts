import { defineConfig, mergeConfig } from 'vitest/config';
import shared from '../../vitest.shared.ts';

// The room holds types alone so far. The first code that lands here takes `passWithNoTests` out.
export default mergeConfig(shared, defineConfig({ test: { name: '@tensorfold/grammar', passWithNoTests: true } }));
