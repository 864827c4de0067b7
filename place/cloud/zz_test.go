package cloud
import ("testing";"time")
func TestZZ(t *testing.T){ c:=mix(10000); st:=time.Now(); p:=Make(c,Options{Compare:true}); t.Logf("%v %+v",time.Since(st),*p.Comparison)
 st=time.Now(); n,_:=HostsNeeded(c.s,Pool{}); t.Logf("%v %+v",time.Since(st),n)
 c=mix(100); st=time.Now(); n,_=HostsNeeded(c.s,Pool{}); t.Logf("%v %+v",time.Since(st),n)
 }
