#!/bin/bash
# live_matrix.sh FAIRLEAD [WORKDIR] [BENCHMARKS_FOLDER]
# Simulated beside live on a quiet machine, within 8 minutes on 16 cores: what a request finds (first_pass), boundaries and moves
# (handover), two profiles, then loads x segments x policies live with --compare; a second seed while time is left.
# On two cores (or TWO=1) a small version: one partitioning, 1,1.
# Environment: LIVE=2500ms (each run), BUDGET=455 (no run begins later, seconds), PROFILE_TIME=30s, NETWORKS, LOADS, GRAINS, POLICIES, SEEDS="1 2".
set -u
FAIRLEAD=$(realpath "$1"); WORK=${2:-live-matrix}; BENCH=$(realpath "${3:-$(dirname "$FAIRLEAD")/benchmarks}")
mkdir -p "$WORK"; cd "$WORK" || exit 1
export XDG_CACHE_HOME=${XDG_CACHE_HOME:-$PWD/cache}; mkdir -p "$XDG_CACHE_HOME"
START=$SECONDS; BUDGET=${BUDGET:-455}; LIVE=${LIVE:-2500ms}
CORES=$(nproc); NETWORKS=${NETWORKS:-"resnet50 mobilenet-v2 googlenet"}
LOADS=${LOADS:-"0.1 0.7 0.9 0.5"}; GRAINS=${GRAINS:-"layers blocks auto whole"}; SEEDS=${SEEDS:-"1 2"}
POLICIES=${POLICIES:-"edf-h:drop=early,edf-share,static-partition"}
{ date; uname -a; nproc; grep -m1 "model name" /proc/cpuinfo; lscpu | grep -E "Thread|Core|Socket|L2|L3"; cat /proc/loadavg; } > machine.txt 2>&1
# One hardware thread of each core first, for partitions of one core each.
ONE_EACH=$(lscpu -p=CPU,CORE,SOCKET 2>/dev/null | grep -v '^#' | sort -t, -k3,3n -k2,2n -k1,1n | awk -F, '!seen[$3","$2]++{print $1}' | sort -n | paste -sd,)
echo "one thread of each core: $ONE_EACH" >> machine.txt
if [ "$CORES" -ge 13 ] && [ -z "${TWO:-}" ]; then PARTS="1,1,1,1 4,4,2,2"; else PARTS="1,1"; fi
profile() { # partitions
  local N=p-${1//,/-} C=""
  [ "$1" = 1,1,1,1 ] && [ "$(echo "$ONE_EACH" | tr , '\n' | wc -l)" -ge 5 ] && C="--cores $(echo "$ONE_EACH" | cut -d, -f1-4)"
  timeout 150 "$FAIRLEAD" profile $NETWORKS --partitions "$1" $C --quick --repetitions 9 --coruns 4 --mixes 4 --time "${PROFILE_TIME:-30s}" --out "$N" \
    > "$N.profile.txt" 2>&1 || { echo "profile $1 failed"; tail -3 "$N.profile.txt"; }
}
for P in $PARTS; do profile "$P"; done
[ -x "$BENCH/first_pass" ] && { timeout 40 "$BENCH/first_pass" --rounds 5 > first_pass.txt 2>&1; [ "$CORES" -ge 4 ] && timeout 40 "$BENCH/first_pass" --rounds 5 --cores 4 >> first_pass.txt 2>&1; }
[ -x "$BENCH/handover" ] && timeout 60 "$BENCH/handover" --quick > handover.txt 2>&1
echo "partitions,segments,load,seed,status" > index.csv
for SEED in $SEEDS; do for L in $LOADS; do for P in $PARTS; do for G in $GRAINS; do
  N=p-${P//,/-}; [ -f "$N/scenario.yaml" ] || continue
  [ $((SECONDS - START)) -gt "$BUDGET" ] && { [ "$SEED" = 1 ] && echo "$P,$G,$L,$SEED,no time" >> index.csv; continue; }
  Y="$N/$G-$L.yaml"; O="$N-$G-$L-$SEED"
  case $G in layers) S="segments: layers";; whole) S="segments: whole";; auto) S="segments: auto";;
    blocks) S="segments: blocks\n  layers_per_block: 10";; esac
  sed -e "s/^horizon: .*/horizon: $LIVE\nwarm_up: 300ms/" -e "s/^load: .*/load: $L/" \
      -e "s/^  profile: profile.csv/  profile: profile.csv\n  $S/" "$N/scenario.yaml" > "$Y"
  RECORD=""; [ "$L" = 0.7 ] && [ "$G" = layers ] && [ "$SEED" = 1 ] && RECORD="--record $O.flr"
  timeout 120 "$FAIRLEAD" simulate "$Y" --policy "$POLICIES" --seed "$SEED" --live run --compare $RECORD -o json > "$O.json" 2> "$O.txt"
  echo "$P,$G,$L,$SEED,$?" >> index.csv
done; done; done; done
for R in *.flr; do [ -f "$R" ] || continue; "$FAIRLEAD" replay "$R" > /dev/null 2> "$R.replay.txt"; echo "replay $R: $?" >> replays.txt; rm -f "$R"; done
cat > summarise.py <<'PY'
import glob, json, re
rows=[]
for f in sorted(glob.glob('p-*-*.json')):
    m=re.match(r'p-([\d-]+?)-([a-z]+)-([\d.]+)-(\d+)\.json$',f)
    if not m: continue
    try: d=json.load(open(f))
    except Exception as e: print(f,'unreadable:',e); continue
    for r in d['runs']:
        c=(r.get('live') or {}).get('comparison')
        if not c: print(f,r['policy'],'has no comparison'); continue
        rows.append((m.group(1),m.group(2),float(m.group(3)),r['policy'],int(m.group(4)),r,c))
def off(a,b): return (b-a)/a if a>0 else 0.0
total=near=p50=p95=n50=n95=0; ratios=[]; exceptions=[]; others=[]
print('%-8s %-7s %-4s %-18s s | hits sim/live | per tenant: hits sim/live, p50 ms sim/live, p95 ms sim/live'%('parts','segs','load','policy'))
for P,G,L,pol,seed,r,c in rows:
    ts=c['tenants']; n=sum(t['requests'] for t in ts) or 1
    h=lambda w: 100*sum(t[w]['hit_rate']*t['requests'] for t in ts)/n
    line='%-8s %-7s %-4s %-18s %d | %5.1f/%5.1f'%(P,G,L,pol,seed,h('simulated'),h('live'))
    for t in ts:
        s,l,a=t['simulated'],t['live'],t['simulated_on_measured']
        dh=100*(l['hit_rate']-s['hit_rate']); d50=off(s['p50_ms'],l['p50_ms']); d95=off(s['p95_ms'],l['p95_ms'])
        total+=1; near+=abs(dh)<=3
        if l['p50_ms']>0 and s['p50_ms']>0:
            p50+=1; n50+=abs(d50)<=.1; ratios.append(1+d50); p95+=1; n95+=abs(d95)<=.1
        line+=' | %s %.1f/%.1f %.2f/%.2f %.2f/%.2f'%(t['tenant'][:6],100*s['hit_rate'],100*l['hit_rate'],s['p50_ms'],l['p50_ms'],s['p95_ms'],l['p95_ms'])
        if abs(dh)>3: exceptions.append('%s %s %s %s seed %d %s: hits %.1f sim, %.1f live (%+.1f), %.1f simulated on what was measured; p50 %+.0f %%; %d requests'%(P,G,L,pol,seed,t['tenant'],100*s['hit_rate'],100*l['hit_rate'],dh,100*a['hit_rate'],100*d50,t['requests']))
    others.append(r['live'].get('others_share') or 0)
    print(line)
print('\nby load and partitions: runs, tenant pairs within 3 points, medians and p95 within 10 %, median ratio live/simulated p50')
for P in sorted({x[0] for x in rows}):
    for L in sorted({x[2] for x in rows}):
        ts=[t for x in rows if x[0]==P and x[2]==L for t in x[6]['tenants']]
        if not ts: continue
        q=sorted(t['live']['p50_ms']/t['simulated']['p50_ms'] for t in ts if t['simulated']['p50_ms']>0 and t['live']['p50_ms']>0)
        z=sorted(t['live']['p95_ms']/t['simulated']['p95_ms'] for t in ts if t['simulated']['p95_ms']>0 and t['live']['p95_ms']>0)
        print('%-8s %-4s %3d of %3d pairs; p50 %3d of %3d (median ratio %.3f); p95 %3d of %3d (median ratio %.3f)'%(P,L,sum(abs(t['live']['hit_rate']-t['simulated']['hit_rate'])<=.03 for t in ts),len(ts),sum(abs(v-1)<=.1 for v in q),len(q),q[len(q)//2] if q else 0,sum(abs(v-1)<=.1 for v in z),len(z),z[len(z)//2] if z else 0))
ratios.sort()
print('\nSUMMARY tenant pairs within 3 points: %d of %d (%.0f %%)'%(near,total,100*near/max(1,total)))
print('SUMMARY medians within 10 %%: %d of %d; p95 within 10 %%: %d of %d; live p50 over simulated in the median: %.3f'%(n50,p50,n95,p95,ratios[len(ratios)//2] if ratios else 0))
print('SUMMARY other programs used at most %.1f %% of the cores'%(100*max(others or [0])))
lay=[(P,pol,x) for P,G,L,pol,s,r,x in rows if G=='layers' and L==0.7]
for P,pol,c in lay:
    n=sum(t['requests'] for t in c['tenants']) or 1
    print('SUMMARY layers at 0.7, %s, %s: %.1f %% live hits (asked 95)'%(P,pol,100*sum(t['live']['hit_rate']*t['requests'] for t in c['tenants'])/n))
print('\nEXCEPTIONS beyond 3 points: %d'%len(exceptions))
for e in exceptions: print('  '+e)
PY
python3 summarise.py > summary.txt 2>&1
cat machine.txt; cat first_pass.txt handover.txt 2>/dev/null; grep -hE "^(resnet|mobilenet|googlenet)|other programs|In [0-9]" p-*.profile.txt; cat summary.txt
grep -v ',0$' index.csv; cat replays.txt 2>/dev/null
echo "took $((SECONDS - START)) s"
